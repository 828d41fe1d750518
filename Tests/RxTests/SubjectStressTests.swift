import Rx
import RxTesting
import Testing

/// A subject or relay that is sent 0, 1, 2 and so on.
struct FedSubject: Sendable {
    let stream: Observable<Int>
    let next: @Sendable (Int) -> Void
    /// Ends the subject. Does nothing for a relay.
    var end: @Sendable ((any Error)?) -> Void = { _ in }
    var dispose: @Sendable () -> Void = {}
    let hasObservers: @Sendable () -> Bool
}

struct SubjectCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// A relay never ends and keeps its observers.
    var isRelay = false
    let make: @Sendable () -> FedSubject

    private static func subject<Subject: SubjectType & Cancelable>(
        _ name: String, _ make: @escaping @Sendable () -> Subject,
        hasObservers: @escaping @Sendable (Subject) -> Bool
    ) -> SubjectCase where Subject.Element == Int, Subject.Observer.Element == Int {
        SubjectCase(testDescription: name) {
            let subject = make()
            let observer = subject.asObserver()
            return FedSubject(
                stream: subject.asObservable(), next: { observer.onNext($0) },
                end: { error in if let error { observer.onError(error) } else { observer.onCompleted() } },
                dispose: { subject.dispose() }, hasObservers: { hasObservers(subject) })
        }
    }

    static let all: [SubjectCase] = [
        subject("PublishSubject", { PublishSubject<Int>() }, hasObservers: { $0.hasObservers }),
        subject("BehaviorSubject", { BehaviorSubject(value: -1) }, hasObservers: { $0.hasObservers }),
        subject(
            "ReplaySubject of 1", { ReplaySubject<Int>.create(bufferSize: 1) },
            hasObservers: { $0.hasObservers }),
        subject(
            "ReplaySubject of 9", { ReplaySubject<Int>.create(bufferSize: 9) },
            hasObservers: { $0.hasObservers }),
        subject(
            "ReplaySubject of all", { ReplaySubject<Int>.createUnbounded() },
            hasObservers: { $0.hasObservers }),
        subject("AsyncSubject", { AsyncSubject<Int>() }, hasObservers: { $0.hasObservers }),
        SubjectCase(testDescription: "PublishRelay", isRelay: true) {
            let relay = PublishRelay<Int>()
            return FedSubject(
                stream: relay.asObservable(), next: { relay.accept($0) },
                hasObservers: { relay.hasObservers })
        },
        SubjectCase(testDescription: "BehaviorRelay", isRelay: true) {
            let relay = BehaviorRelay(value: -1)
            return FedSubject(
                stream: relay.asObservable(), next: { relay.accept($0) },
                hasObservers: { relay.hasObservers })
        },
        SubjectCase(testDescription: "ReplayRelay", isRelay: true) {
            let relay = ReplayRelay<Int>.create(bufferSize: 3)
            return FedSubject(
                stream: relay.asObservable(), next: { relay.accept($0) },
                hasObservers: { relay.hasObservers })
        },
    ]
}

@Suite("Subjects and relays used by several threads", .noLeaks)
struct SubjectStressTests {
    private struct Seen {
        var values: [Int] = []
        var inside = 0
        var overlaps = 0
        var ends = 0
        var late = 0

        mutating func enter() {
            inside += 1
            if inside > 1 { overlaps += 1 }
            if ends > 0 { late += 1 }
        }
    }

    /// How the subject ends in a round.
    private enum End: Int {
        case completed, failed, disposed
    }

    private static let count = 200

    @Test(
        "Subscribers that come and go while values are sent see no gap and at most one terminal event",
        .timeLimit(.minutes(1)), arguments: SubjectCase.all)
    func subscribers(_ kind: SubjectCase) async {
        for round in 0..<12 {
            let subject = kind.make()
            let end = End(rawValue: round % 3) ?? .completed
            let stayed = Log<Shared<Seen>>()
            let left = Log<Shared<Seen>>()
            let bag = CompositeDisposable()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for value in 0..<Self.count { subject.next(value) }
                    switch end {
                    case .completed: subject.end(nil)
                    case .failed: subject.end(TestError())
                    case .disposed: break
                    }
                }
                if end == .disposed { group.addTask { subject.dispose() } }
                for thread in 0..<2 {
                    group.addTask {
                        for turn in 0..<12 {
                            let seen = Shared(Seen())
                            let leaves = (turn + thread) % 2 == 0
                            (leaves ? left : stayed).add(seen)
                            _ = bag.insert(Self.subscribe(subject, seen, leaves: leaves))
                        }
                    }
                }
            }
            for seen in stayed.entries + left.entries {
                let seen = seen.withLock { $0 }
                #expect(seen.overlaps == 0 && seen.late == 0 && seen.ends <= 1)
                if let first = seen.values.first {
                    #expect(seen.values == Array(first..<first + seen.values.count))
                }
            }
            for seen in left.entries { #expect(seen.withLock { $0.values.count } <= 3) }
            if kind.isRelay || end != .disposed {
                #expect(subject.hasObservers() == kind.isRelay)
                for seen in stayed.entries.map({ seen in seen.withLock { $0 } }) {
                    #expect(seen.ends == (kind.isRelay ? 0 : 1))
                    if end != .failed, let last = seen.values.last { #expect(last == Self.count - 1) }
                }
            }
            bag.dispose()
            #expect(!subject.hasObservers())
        }
    }

    /// A subscription that calls the subject at its first value. If `leaves` is true, it takes at most three
    /// values.
    private static func subscribe(
        _ subject: FedSubject, _ seen: Shared<Seen>, leaves: Bool
    ) -> any Disposable {
        let end: @Sendable () -> Void = {
            seen.withLock { seen in
                seen.enter()
                seen.ends += 1
            }
            seen.withLock { $0.inside -= 1 }
        }
        let stream = leaves ? subject.stream.take(3) : subject.stream
        return stream.subscribe(
            onNext: { value in
                let count = seen.withLock { seen in
                    seen.enter()
                    seen.values.append(value)
                    return seen.values.count
                }
                if count == 1 {
                    _ = subject.hasObservers()
                    subject.stream.subscribe(onError: { _ in }).dispose()
                }
                seen.withLock { $0.inside -= 1 }
            }, onError: { _ in end() }, onCompleted: end)
    }
}
