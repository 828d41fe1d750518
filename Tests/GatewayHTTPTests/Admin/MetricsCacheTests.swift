import Dispatch
import EventIO
import Foundation
import Locking
import Metrics
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The text of the metrics")
struct MetricsCacheTests {
    /// Makes texts that differ, and counts them.
    private final class Maker: Sendable {
        let made = Lock(0)

        func make() -> [UInt8] {
            made.withLock {
                $0 += 1
                return Array("\($0)".utf8)
            }
        }
    }

    private func text(_ cache: MetricsCache, _ maker: Maker, _ format: MetricsFormat = .prometheus) -> String
    {
        String(decoding: cache.text(format, make: maker.make), as: UTF8.self)
    }

    @Test("It is the same for a second, and then made again; each format is made by itself")
    func age() {
        let now = Lock(MonotonicTime.clock())
        let cache = MetricsCache { now.withLock { $0 } }
        let maker = Maker()
        #expect(text(cache, maker) == "1")
        now.withLock { $0 = $0 + .milliseconds(999) }
        #expect(text(cache, maker) == "1")
        #expect(text(cache, maker, .openMetrics) == "2")
        now.withLock { $0 = $0 + .milliseconds(1) }
        #expect(text(cache, maker) == "3")
        #expect(text(cache, maker, .openMetrics) == "2")
        #expect(maker.made.withLock { $0 } == 3)
    }

    @Test("Callers that ask while it is made share it", .timeLimit(.minutes(1)))
    func shared() throws {
        let now = MonotonicTime.clock()
        let cache = MetricsCache { now }
        let maker = Maker()
        let (began, go, ended) = (Signal(), Signal(), Signal())
        let texts = Lock<[String]>([])
        for _ in 0..<8 {
            Thread.detachNewThread {
                let text = cache.text(.prometheus) {
                    began.fire()
                    try? go.waitBlocking()
                    return maker.make()
                }
                texts.withLock { $0.append(String(decoding: text, as: UTF8.self)) }
                ended.fire()
            }
        }
        try began.waitBlocking()
        go.fire()
        for _ in 0..<8 { try ended.waitBlocking() }
        #expect(texts.withLock { $0 } == Array(repeating: "1", count: 8))
        #expect(began.count == 1)
    }
}
