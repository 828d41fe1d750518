import Testing

@testable import Networking

@Suite("Upstreams that providers share")
struct SharedUpstreamTests {
    private func shared(_ name: String, _ url: String = "http://shared.test") throws -> Upstream {
        try Upstream.shared(name: name, baseURLs: [url], isNamed: true)
    }

    @Test("They are one object while somebody uses it")
    func oneObject() throws {
        let first = try shared("one")
        #expect(try shared("one") === first)
        #expect(try shared("other") !== first)
        #expect(try shared("one", "http://shared.test/prefix") !== first)
        #expect(throws: Upstream.InvalidBaseURL.self) { try shared("one", "ftp://shared.test") }
    }

    @Test("The registry forgets each of 100 000 when it is no longer used")
    func released() throws {
        let before = Upstream.registeredCount
        var kept: [Upstream] = []
        for number in 0..<100_000 {
            let upstream = try shared("released", "http://host\(number).test")
            if number % 1000 == 0 { kept.append(upstream) }
        }
        // Other tests may run at the same time.
        #expect(Upstream.registeredCount < before + 2000)
        for (index, upstream) in kept.enumerated() {
            #expect(try shared("released", "http://host\(index * 1000).test") === upstream)
        }
    }
}
