import Rx
import RxTesting
import Testing

@Suite("Async subjects", .noLeaks)
struct AsyncSubjectTests {
    @Test("Current and later subscribers receive the last value on completion")
    func completes() {
        let subject = AsyncSubject<Int>()
        let log = Log<String>()
        _ = log.record(subject)
        subject.onNext(1)
        subject.onNext(2)
        #expect(subject.hasObservers)
        #expect(log.entries.isEmpty)
        subject.onCompleted()
        #expect(!subject.hasObservers)
        subject.onNext(3)
        subject.onCompleted()
        #expect(log.entries == ["2", "done"])
        #expect(events(subject) == ["2", "done"])
    }

    @Test("A subject that received no value only completes")
    func empty() {
        let subject = AsyncSubject<Int>()
        subject.onCompleted()
        #expect(events(subject) == ["done"])
    }

    @Test("Current and later subscribers receive only the error, and the value is released")
    func fails() {
        let census = Census()
        let subject = AsyncSubject<Tracked>()
        let log = Log<String>()
        _ = subject.subscribe(
            onNext: { _ in log.add("value") }, onError: { log.add("error \($0)") })
        subject.onNext(Tracked(census))
        subject.onNext(Tracked(census))
        #expect(census.alive == 1)
        subject.onError(TestError())
        #expect(census.alive == 0)
        #expect(log.entries == ["error failed"])
        _ = subject.subscribe(onError: { log.add("later \($0)") })
        #expect(log.entries == ["error failed", "later failed"])
    }

    @Test("Disposed subscribers receive nothing, and a disposed subject rejects new ones")
    func disposed() {
        let subject = AsyncSubject<Int>()
        let log = Log<String>()
        let subscription = log.record(subject)
        let other = log.record(subject)
        subscription.dispose()
        subject.onNext(1)
        subject.dispose()
        #expect(subject.isDisposed && !subject.hasObservers)
        subject.onCompleted()
        #expect(log.entries.isEmpty)
        _ = subject.subscribe(onError: { if case RxError.disposed = $0 { log.add("disposed") } })
        #expect(log.entries == ["disposed"])
        other.dispose()
    }

    @Test("Subscribers that race with the completion receive the value and the completion once")
    func threads() async {
        for _ in 0..<500 {
            let subject = AsyncSubject<Int>()
            let logs = (0..<3).map { _ in Log<String>() }
            await withTaskGroup(of: Void.self) { group in
                for log in logs { group.addTask { _ = log.record(subject) } }
                group.addTask {
                    subject.onNext(1)
                    subject.onCompleted()
                }
            }
            for log in logs { #expect(log.entries == ["1", "done"]) }
        }
    }
}
