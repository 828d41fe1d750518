@_spi(Demand) import Rx
import RxTesting
import Testing

@Suite("Backpressure of values", .noLeaks)
struct DemandTests {
    /// A source that supports backpressure and logs it.
    private static func source(_ log: Log<String>, _ subject: PublishSubject<Int>) -> Observable<Int> {
        .create { observer in
            Demand.current?.hold(
                Demand.Source(pause: { log.add("pause") }, resume: { log.add("resume") }))
            return subject.subscribe(observer)
        }
    }

    @Test("A source pauses at sixteen waiting values and resumes at four")
    func watermarks() async throws {
        let (log, subject) = (Log<String>(), PublishSubject<Int>())
        var values = Self.source(log, subject).map { $0 * 2 }.values.makeAsyncIterator()
        for number in 1...15 { subject.onNext(number) }
        #expect(log.entries == [])
        for number in 16...20 { subject.onNext(number) }
        #expect(log.entries == ["pause"])
        for number in 1...15 { #expect(try await values.next() == number * 2) }
        #expect(log.entries == ["pause"])
        #expect(try await values.next() == 32)
        #expect(log.entries == ["pause", "resume"])
        subject.onCompleted()
        for number in 17...20 { #expect(try await values.next() == number * 2) }
        #expect(try await values.next() == nil)
    }

    @Test(
        "A source that joins a slow reader pauses at once, and a source that joins after the end does not pause"
    )
    func joining() {
        let log = Log<String>()
        let buffer = ValuesBuffer<Int>(highWatermark: 2, lowWatermark: 0)
        func hold(_ name: String) {
            buffer.demand.hold(
                Demand.Source(pause: { log.add("pause \(name)") }, resume: { log.add("resume \(name)") }))
        }
        hold("a")
        buffer.send(1)
        buffer.send(2)
        hold("b")
        #expect(log.entries == ["pause a", "pause b"])
        buffer.end(.success(()))
        #expect(log.entries == ["pause a", "pause b", "resume a", "resume b"])
        hold("c")
        #expect(log.entries == ["pause a", "pause b", "resume a", "resume b"])
    }

    @Test("A value that was read is released, and its place soon, even if another value always waits")
    func behind() async throws {
        let census = Census()
        let buffer = ValuesBuffer<Tracked>(highWatermark: 16, lowWatermark: 4)
        buffer.send(Tracked(census))
        var most = 0
        for _ in 0..<1_000 {
            buffer.send(Tracked(census))
            _ = try await buffer.next()
            #expect(census.alive == 1)
            most = max(most, buffer.placeCount)
        }
        #expect(most <= 130)
        buffer.cancel()
        #expect(census.alive == 0)
    }

    @Test("Values that a cancelled reader drops are released outside of the buffer's lock")
    func dropped() throws {
        let buffer = ValuesBuffer<Releasing>(highWatermark: 16, lowWatermark: 4)
        let released = Log<Int>()
        buffer.send(
            Releasing {
                // Takes the lock.
                buffer.end(.success(()))
                released.add(1)
            })
        buffer.cancel()
        #expect(released.entries == [1])
    }

    /// Runs a closure when it is released.
    private final class Releasing: Sendable {
        private let released: @Sendable () -> Void

        init(_ released: @escaping @Sendable () -> Void) { self.released = released }

        deinit { released() }
    }

    @Test("A slow reader that leaves resumes a shared source")
    func leaving() async throws {
        let (log, subject, rest) = (Log<String>(), PublishSubject<Int>(), Log<Int>())
        let shared = Self.source(log, subject).share()
        do {
            var values = shared.values.makeAsyncIterator()
            let other = shared.subscribe(onNext: { rest.add($0) })
            defer { other.dispose() }
            for number in 0..<16 { subject.onNext(number) }
            #expect(try await values.next() == 0)
            #expect(log.entries == ["pause"])
            values = Observable<Int>.empty().values.makeAsyncIterator()
            #expect(log.entries == ["pause", "resume"])
            subject.onNext(16)
        }
        #expect(rest.entries == Array(0...16))
    }

    @Test("Subscriptions outside of values have no backpressure")
    func outside() {
        #expect(Demand.current == nil)
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let subscription = Self.source(log, subject).subscribe()
        for number in 0..<100 { subject.onNext(number) }
        subscription.dispose()
        #expect(log.entries == [])
    }
}
