import Rx
import RxTesting
import Testing

// Uses the traits like a user's generic extension, which does not know `PrimitiveSequence`.

extension PrimitiveSequenceType where Trait == SingleTrait {
    fileprivate func everything(_ log: Log<String>) -> [(String, [String])] {
        _ = subscribe { (result: SingleEvent<Element>) in log.add("\(result)") }
        _ = subscribe(onSuccess: { log.add("\($0)") })
        _ = subscribe(with: log, onSuccess: { log, element in log.add("with \(element)") })
        return [
            ("do", events(self.do(onSuccess: { log.add("do \($0)") }).asObservable())),
            ("map", events(map { "<\($0)>" }.asObservable())),
            ("compactMap", events(compactMap { _ in Int?.none }.asObservable())),
            ("filter", events(filter { _ in false }.asObservable())),
            ("flatMap", events(flatMap { Single.just("<\($0)>") }.asObservable())),
            ("flatMapMaybe", events(flatMapMaybe { _ in Maybe<Int>.empty() }.asObservable())),
            ("flatMapCompletable", events(flatMapCompletable { _ in .empty() }.asObservable())),
            ("asMaybe", events(asMaybe().asObservable())),
            ("asCompletable", events(asCompletable().asObservable())),
        ]
    }

    fileprivate func recovered(_ element: Element) async throws -> Element {
        try await catchAndReturn(element).awaited
    }

    fileprivate var awaited: Element {
        get async throws { try await value }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    fileprivate func everything(_ element: Element, _ log: Log<String>) -> [(String, [String])] {
        _ = subscribe { (event: MaybeEvent<Element>) in log.add("\(event)") }
        _ = subscribe(onSuccess: { log.add("\($0)") }, onCompleted: { log.add("done") })
        _ = subscribe(
            with: log, onSuccess: { log, element in log.add("with \(element)") },
            onCompleted: { $0.add("with done") })
        return [
            ("do", events(self.do(onNext: { log.add("do \($0)") }).asObservable())),
            ("map", events(map { "<\($0)>" }.asObservable())),
            ("compactMap", events(compactMap { _ in Int?.none }.asObservable())),
            ("filter", events(filter { _ in false }.asObservable())),
            ("flatMap", events(flatMap { Maybe.just("<\($0)>") }.asObservable())),
            ("catchAndReturn", events(catchAndReturn(element).asObservable())),
            ("ifEmpty(default:)", events(ifEmpty(default: element).asObservable())),
            ("ifEmpty(switchTo:)", events(ifEmpty(switchTo: Maybe.just(element)).asObservable())),
            ("ifEmpty(switchTo:), single", events(ifEmpty(switchTo: Single.just(element)).asObservable())),
            ("asSingle", events(asSingle().asObservable())),
            ("asCompletable", events(asCompletable().asObservable())),
        ]
    }

    fileprivate var awaited: Element? {
        get async throws { try await value }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    fileprivate func everything(_ log: Log<String>) -> [(String, [String])] {
        _ = subscribe { (event: CompletableEvent) in log.add("\(event)") }
        _ = subscribe(onCompleted: { log.add("done") })
        _ = subscribe(with: log, onCompleted: { $0.add("with done") })
        return [
            ("do", events(self.do(onCompleted: { log.add("do") }).asObservable())),
            ("concat", events(concat(.empty()).asObservable())),
            ("andThen, single", events(andThen(Single.just(1)).asObservable())),
            ("andThen, maybe", events(andThen(Maybe<Int>.empty()).asObservable())),
            ("andThen, completable", events(andThen(Completable.empty()).asObservable())),
            ("andThen, observable", events(andThen(Observable.of(1, 2)))),
        ]
    }

    fileprivate var awaited: Void {
        get async throws { try await value }
    }
}

@Suite("Extensions of PrimitiveSequenceType", .noLeaks)
struct TraitExtensionTests {
    private func check(_ outputs: [(String, [String])], _ expected: [String: [String]]) {
        #expect(Set(outputs.map(\.0)) == Set(expected.keys))
        for (name, output) in outputs { #expect(output == expected[name], "\(name)") }
    }

    @Test("Extensions of a single can use its operators")
    func single() async throws {
        let log = Log<String>()
        check(
            Single.just(1).everything(log),
            [
                "do": ["1", "done"], "map": ["<1>", "done"], "compactMap": ["done"], "filter": ["done"],
                "flatMap": ["<1>", "done"], "flatMapMaybe": ["done"], "flatMapCompletable": ["done"],
                "asMaybe": ["1", "done"], "asCompletable": ["done"],
            ])
        #expect(log.entries == ["success(1)", "1", "with 1", "do 1"])
        #expect(try await Single<Int>.error(TestError()).recovered(9) == 9)
    }

    @Test("Extensions of a maybe can use its operators")
    func maybe() async throws {
        let log = Log<String>()
        check(
            Maybe<Int>.empty().everything(9, log),
            [
                "do": ["done"], "map": ["done"], "compactMap": ["done"], "filter": ["done"],
                "flatMap": ["done"], "catchAndReturn": ["done"], "ifEmpty(default:)": ["9", "done"],
                "ifEmpty(switchTo:)": ["9", "done"], "ifEmpty(switchTo:), single": ["9", "done"],
                "asSingle": ["error Sequence doesn't contain any elements."], "asCompletable": ["done"],
            ])
        check(
            Maybe.just(1).everything(9, log),
            [
                "do": ["1", "done"], "map": ["<1>", "done"], "compactMap": ["done"], "filter": ["done"],
                "flatMap": ["<1>", "done"], "catchAndReturn": ["1", "done"],
                "ifEmpty(default:)": ["1", "done"], "ifEmpty(switchTo:)": ["1", "done"],
                "ifEmpty(switchTo:), single": ["1", "done"], "asSingle": ["1", "done"],
                "asCompletable": ["done"],
            ])
        #expect(
            log.entries == ["completed", "done", "with done", "success(1)", "1", "with 1", "do 1"])
        #expect(try await Maybe.just(1).awaited == 1)
    }

    @Test("Extensions of a completable can use its operators")
    func completable() async throws {
        let log = Log<String>()
        check(
            Completable.empty().everything(log),
            [
                "do": ["done"], "concat": ["done"], "andThen, single": ["1", "done"],
                "andThen, maybe": ["done"], "andThen, completable": ["done"],
                "andThen, observable": ["1", "2", "done"],
            ])
        #expect(log.entries == ["completed", "done", "with done", "do"])
        await #expect(throws: TestError.self) { try await Completable.error(TestError()).awaited }
    }
}
