import Dispatch
import Foundation
import GatewayCore
import GatewayTesting
import HTTPModel
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Signing keys of a real key set", .timeLimit(.minutes(1)))
struct KeyRotationTests {
    /// What clients of a gateway got.
    private struct Counts {
        var served = 0
        var others: [Int] = []
    }

    @Test("The first token that a new key has signed is served, and none is refused while keys change")
    func underLoad() throws {
        try withAccessFile(unknownKeyPause: .zero, configure: { $0.loops = 2 }) { file throws in
            let counts = Lock(Counts())
            let isOver = Lock(false)
            let started = Signal()
            let threads = DispatchGroup()
            let (port, provider) = (file.server.port, file.provider)
            for number in 0..<8 {
                DispatchQueue.global().async(group: threads) {
                    guard let client = try? RawClient(port: port) else { return }
                    var request = 0
                    while !isOver.withLock({ $0 }) {
                        request += 1
                        let subject = "user-\(number)"
                        // Each request has a token that nobody has seen, signed by the latest key.
                        guard let field = try? provider.field(subject, ["jti": .init(request)]),
                            let reply = try? client.reply(to: "/page", field)
                        else { return }
                        counts.withLock { counts in
                            if reply.status == 200, reply.data == #"{"user":"\#(subject)"}"# {
                                counts.served += 1
                            } else {
                                counts.others.append(reply.status)
                            }
                        }
                        started.fire()
                    }
                }
            }
            try started.waitBlocking()
            for _ in 0..<5 {
                let served = counts.withLock(\.served)
                try file.provider.tokens.rotate()
                // The first token of the new key.
                #expect(try file.ask("/page", file.provider.field("first")).status == 200)
                try spin(while: counts.withLock { $0.served < served + 50 && $0.others.isEmpty }) {
                    "\(counts.withLock(\.served)) served, \(served) before"
                }
            }
            isOver.withLock { $0 = true }
            #expect(threads.wait(timeout: .now() + 30) == .success)
            #expect(counts.withLock(\.others).isEmpty)
            #expect(counts.withLock(\.served) > 250)
            // One fetch at the start, and one or a few for each key: requests wait for the fetch in progress.
            #expect((6...20).contains(file.provider.fetches), "\(file.provider.fetches)")
        }
    }

    @Test("A key that is gone is refused at once, also for a token that was accepted before")
    func goneKey() throws {
        try withAccessFile(unknownKeyPause: .zero) { file throws in
            let old = try file.provider.field("ann")
            #expect(try file.ask("/page", old).status == 200)
            try file.provider.tokens.rotate(keepingOld: false)
            #expect(try file.ask("/page", old).status == 200)
            #expect(try file.ask("/page", file.provider.field("ann")).status == 200)
            #expect(try file.ask("/page", old).status == 401)
        }
    }

    @Test("Requests with bad tokens cause one fetch of keys at most, and no call of an endpoint's upstream")
    func badTokens() throws {
        try withAccessFile { file throws in
            #expect(try file.ask("/page", file.provider.field("ann")).status == 200)
            let (fetches, calls) = (file.provider.fetches, file.upstream.requests.count)
            let client = try RawClient(port: file.server.port)
            var random = SystemRandomNumberGenerator()
            let valid = try file.provider.tokens.token("ann")
            let forger = try TestTokens(issuer: IdentityProvider.issuer, audience: "app")
            for number in 0..<300 {
                let token: String
                switch number % 4 {
                // The name of its key is unknown.
                case 0:
                    try forger.rotate()
                    token = try forger.token("ann")
                case 1:
                    // One byte of the signature or the claims is another.
                    var bytes = Array(valid.utf8)
                    let place = Int.random(in: bytes.count / 2..<bytes.count - 1, using: &random)
                    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                    token = String(decoding: bytes, as: UTF8.self)
                case 2: token = (0..<60).map { _ in String("abcXYZ019-_.".randomElement() ?? ".") }.joined()
                default: token = try file.provider.tokens.token("ann", ["exp": .init(number)])
                }
                let reply = try client.reply(to: "/page", "Authorization: Bearer \(token)\r\n")
                #expect(reply.status == 401, "\(token)")
            }
            #expect(file.provider.fetches - fetches <= 1)
            #expect(file.upstream.requests.count == calls)
            #expect(try client.reply(to: "/page", file.provider.field("ann")).status == 200)
            client.close()
        }
    }

    @Test("Without keys nobody is admitted: 503 until the provider is back, and one line each in the log")
    func noKeys() throws {
        let lines = try withAccessFile(level: "warning") { file throws in
            let tokens = file.provider.tokens
            // The same keys at an address that nobody answers yet.
            let late = try ScriptedUpstream(.closed, [[.answer { _ in FileGateway.ok(tokens.keySet) }]])
            defer { late.stop() }
            try file.reload("127.0.0.1:\(file.provider.port)\"", "127.0.0.1:\(late.port)\"")
            for _ in 0..<3 {
                let reply = try file.ask("/page", file.provider.field("ann"))
                #expect(reply.status == 503)
                #expect(code(of: reply) == "UPSTREAM_UNAVAILABLE")
            }
            // Another way to be known works.
            #expect(try file.ask("/me", file.keyField).status == 200)
            late.open()
            // The next fetch begins 5 s after the first one.
            try spin(while: try file.ask("/page", file.provider.field("ann")).status != 200) {
                "no keys after \(late.requests.count) requests for them"
            }
            #expect(late.requests.count == 1)
            // An entry that a reload changes fetches at once.
            try file.gateway.reload(file.text)
            #expect(try file.ask("/page", file.provider.field("ann")).status == 200)
        }
        let warnings = lines.filter { $0.contains(#""message":"signing keys"#) }
        #expect(
            warnings.map { $0.contains(#""message":"signing keys unavailable""#) } == [true, false],
            "\(lines)")
        #expect(warnings.last?.contains(#""message":"signing keys are back""#) == true, "\(warnings)")
        #expect(warnings.allSatisfy { $0.contains(#""auth":"mobile""#) && $0.contains(#""warning""#) })
    }
}
