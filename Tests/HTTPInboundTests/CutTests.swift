import TestSupport
import Testing

@testable import HTTPInbound

/// Splits the bytes of a conversation at random and expects the same answers.
@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct CutTests {
    /// A reproducible random generator (SplitMix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
            return word ^ (word >> 31)
        }
    }

    private static let conversation = [
        "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nGET / HTTP/",
        "\r\nPOST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nabcde\r\n1\r\nf\r\n0\r\nT: t\r\n\r\n",
        "PUT /missing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        "OPTIONS /hello HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz",
        "GET /hello HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n",
    ].joined()

    private static let answers = [
        "200 hello", "200 GET / HTTP/", "200 abcdef", "404 no such", "204 ", "200 xyz",
        "400 malformed: A blank separates a field name from its colon",
    ]

    @Test("Answers do not depend on how the bytes are split", arguments: 0..<20)
    func cut(seed: Int) async throws {
        try await TestServer.run { server in
            var generator = Generator(state: UInt64(seed))
            var rest = Array(Self.conversation.utf8)[...]
            let client = try server.client()
            while !rest.isEmpty {
                let length = seed == 0 ? 1 : Int.random(in: 1...min(rest.count, 60), using: &generator)
                client.send(Array(rest.prefix(length)))
                rest = rest.dropFirst(length)
                // This round trip makes the loop read each piece separately.
                try await server.on { _, _ in }
            }
            var seen: [String] = []
            for _ in Self.answers {
                let reply = try client.reply()
                seen.append("\(reply.status) \(reply.text)")
            }
            #expect(seen == Self.answers)
            #expect(client.readToEnd() == ([], .fin))
        }
    }
}
