import Dispatch
import RxCompatibility
import RxTesting
import Testing

private protocol Spellings {
    func streams(_ scheduler: TestScheduler) -> [(String, [String])]
    func traits() -> [(String, [String])]
}

/// The methods are deprecated themselves, so that their calls of deprecated spellings do not warn.
private struct OldSpellings: Spellings {
    private let failing = Observable.of(1, 2).concat(Observable.error(TestError()))
    private let numbers = Observable.of(1, 2, 3)

    @available(*, deprecated)
    func streams(_ scheduler: TestScheduler) -> [(String, [String])] {
        [
            ("catchError", events(failing.catchError { _ in .just(9) })),
            ("catchError(sequence:)", events(Observable.catchError(sequence: [failing, .just(9)]))),
            ("catchError, sources", events(Observable.catchError([failing, .just(9)]))),
            ("catchErrorJustReturn", events(failing.catchErrorJustReturn(9))),
            ("observeOn", events(numbers.observeOn(ImmediateScheduler.instance))),
            ("subscribeOn", events(numbers.subscribeOn(ImmediateScheduler.instance))),
            (
                "retryWhen",
                events(failing.retryWhen { (errors: Observable<any Error>) in errors.take(0) })
            ),
            (
                "retryWhen, typed",
                events(
                    failing.retryWhen { (errors: Observable<TestError>) in errors.map { _ in () }.take(2) })
            ),
            ("takeUntil", events(numbers.takeUntil(Observable<Int>.never()))),
            ("takeUntil, predicate", events(numbers.takeUntil(.inclusive) { $0 == 2 })),
            ("takeWhile", events(numbers.takeWhile { $0 < 2 })),
            ("takeWhile, inclusive", events(numbers.takeWhile(.inclusive) { $0 < 2 })),
            ("take(_:scheduler:)", events(numbers.take(.seconds(1), scheduler: scheduler))),
            ("skipUntil", events(numbers.skipUntil(Observable<Int>.just(1)))),
            ("skipWhile", events(numbers.skipWhile { $0 < 2 })),
            ("elementAt", events(numbers.elementAt(1))),
            ("shareReplay", events(numbers.shareReplay(1))),
            ("shareReplayLatestWhileConnected", events(numbers.shareReplayLatestWhileConnected())),
        ]
    }

    @available(*, deprecated)
    func traits() -> [(String, [String])] {
        let single = Single<Int>.error(TestError())
        let log = Log()
        _ = single.subscribe(onSuccess: { log.add("\($0)") }, onError: { log.add("\($0)") })
        return [
            ("subscribe(onSuccess:onError:)", log.entries),
            ("catchError", events(single.catchError { _ in .just(9) }.asObservable())),
            ("catchErrorJustReturn", events(single.catchErrorJustReturn(9).asObservable())),
            (
                "catchErrorJustReturn of a maybe",
                events(Maybe<Int>.error(TestError()).catchErrorJustReturn(9).asObservable())
            ),
            ("observeOn", events(single.observeOn(ImmediateScheduler.instance).asObservable())),
            ("subscribeOn", events(single.subscribeOn(ImmediateScheduler.instance).asObservable())),
            (
                "retryWhen",
                events(
                    single.retryWhen { (errors: Observable<TestError>) in
                        errors.flatMap { _ in Observable<Int>.error(RxError.timeout) }
                    }.asObservable())
            ),
        ]
    }
}

@Suite("Spellings that RxSwift 6 deprecated", .noLeaks)
struct RxSwift5Tests {
    @Test("The old spellings of operators behave like the new ones")
    func streams() {
        let spellings: any Spellings = OldSpellings()
        let expected = [
            "catchError": ["1", "2", "9", "done"], "catchError(sequence:)": ["1", "2", "9", "done"],
            "catchError, sources": ["1", "2", "9", "done"],
            "catchErrorJustReturn": ["1", "2", "9", "done"], "observeOn": ["1", "2", "3", "done"],
            "subscribeOn": ["1", "2", "3", "done"], "retryWhen": ["1", "2", "done"],
            "retryWhen, typed": ["1", "2", "1", "2", "1", "2", "done"], "takeUntil": ["1", "2", "3", "done"],
            "takeUntil, predicate": ["1", "2", "done"], "takeWhile": ["1", "done"],
            "takeWhile, inclusive": ["1", "2", "done"], "take(_:scheduler:)": ["1", "2", "3", "done"],
            "skipUntil": ["1", "2", "3", "done"], "skipWhile": ["2", "3", "done"],
            "elementAt": ["2", "done"], "shareReplay": ["1", "2", "3", "done"],
            "shareReplayLatestWhileConnected": ["1", "2", "3", "done"],
        ]
        for (name, output) in spellings.streams(TestScheduler(frame: .milliseconds(10))) {
            #expect(output == expected[name], "\(name)")
        }
    }

    @Test("The old spellings of traits behave like the new ones")
    func traits() {
        let spellings: any Spellings = OldSpellings()
        let expected = [
            "subscribe(onSuccess:onError:)": ["failed"], "catchError": ["9", "done"],
            "catchErrorJustReturn": ["9", "done"], "catchErrorJustReturn of a maybe": ["9", "done"],
            "observeOn": ["error failed"], "subscribeOn": ["error failed"],
            "retryWhen": ["error Sequence timeout."],
        ]
        for (name, output) in spellings.traits() { #expect(output == expected[name], "\(name)") }
    }
}
