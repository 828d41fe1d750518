import GatewayCore
import GatewayTesting
import HTTPModel
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Callers and limits over reloads", .timeLimit(.minutes(1)))
struct AccessReloadTests {
    @Test("Counts, signing keys and API keys of entries that stay the same go on")
    func sameEntries() throws {
        try withAccessFile { file throws in
            #expect(try file.ask("/me", file.keyField).status == 200)
            #expect(try file.ask("/me", file.provider.field("ann")).status == 200)
            #expect(file.provider.fetches == 1)
            for settings in ["timeline: true\n", "limits: {deadline: 9s}\n"] {
                try file.gateway.reload("\(file.text)\(settings)")
            }
            #expect(try file.ask("/me", file.keyField).status == 200)
            #expect(try file.ask("/me", file.keyField).status == 429)
            #expect(try file.ask("/me", file.provider.field("ann")).status == 200)
            #expect(try file.ask("/me", file.provider.field("ann")).status == 429)
            #expect(file.provider.fetches == 1)
            let access = file.server.settled.access
            #expect(access.limits["perCaller"] == RateLimitReport(allowed: 4, limited: 2))
            #expect(access.callers["mobile"] == ["ok": 2, "limited": 1])
        }
    }

    @Test("A limit with other settings starts from zero, and another one counts on")
    func changedLimit() throws {
        try withAccessFile { file throws in
            for status in [200, 200, 429] { #expect(try file.ask("/me", file.keyField).status == status) }
            try file.reload("rate: 2/1h", "rate: 1/1h")
            for status in [200, 429] { #expect(try file.ask("/me", file.keyField).status == status) }
            let left = try file.ask("/me", file.keyField).value("RateLimit") ?? ""
            // Three requests of this client were allowed, and those that were refused used up nothing.
            #expect(left.contains(#""perClient";r=997;"#), "\(left)")
        }
    }

    @Test(
        "An entry with other settings refuses the first request that it no longer knows, on an open connection"
    )
    func changedEntry() throws {
        try withAccessFile { file throws in
            let client = try RawClient(port: file.server.port)
            let field = try file.provider.field("ann")
            #expect(try client.reply(to: "/page", field).status == 200)
            try file.reload("audience: app", "audience: another")
            #expect(try client.reply(to: "/page", field).status == 401)
            #expect(
                try client.reply(to: "/page", file.provider.field("ann", ["aud": "another"])).status == 200)
            try file.gateway.reload(file.text)
            #expect(try client.reply(to: "/page", field).status == 200)
            client.close()
        }
    }

    @Test("Keys of a changed entry are fetched again, and the first request waits for them")
    func changedKeys() throws {
        try withAccessFile { file throws in
            #expect(try file.ask("/page", file.provider.field("ann")).status == 200)
            try file.reload("{upstream: id, get: /keys}", "{upstream: id, get: /other-keys}")
            #expect(try file.ask("/page", file.provider.field("ann")).status == 200)
            #expect(file.provider.fetches == 2)
        }
    }

    @Test("A key is rotated by two lines of its name, and a removed line is refused from the reload on")
    func keyRotation() throws {
        try withAccessFile { file throws in
            let client = try RawClient(port: file.server.port)
            let new = try TestAPIKey("shop", claims: ["plan=pro"])
            let newField = "X-API-Key: \(new.key)\r\n"
            #expect(try client.reply(to: "/me", newField).status == 401)
            try file.write(keys: file.key, new)
            try file.gateway.reload(file.text)
            #expect(try client.reply(to: "/me", file.keyField).data == #"{"sub":"shop"}"#)
            // Both are one caller, which has two requests.
            #expect(try client.reply(to: "/me", newField).data == #"{"sub":"shop"}"#)
            #expect(try client.reply(to: "/me", newField).status == 429)
            try file.write(keys: new)
            try file.gateway.reload(file.text)
            #expect(try client.reply(to: "/me", file.keyField).status == 401)
            client.close()
        }
    }

    @Test("A reload that finds an empty file of keys says so in the log, and every key is refused")
    func emptyFile() throws {
        let lines = try withAccessFile(level: "warning") { file throws in
            #expect(try file.ask("/me", file.keyField).status == 200)
            try file.write()
            let hasEnded = Signal()
            #expect(file.server.reload(because: "test") { _ in hasEnded.fire() })
            try hasEnded.waitBlocking()
            #expect(try file.ask("/me", file.keyField).status == 401)
        }
        let warnings = lines.filter { $0.contains(#""message":"configuration problem""#) }
        #expect(
            warnings.contains { $0.contains("partners.apiKeys.file: the file has no keys") }, "\(lines)")
    }

    @Test("A file that cannot be used changes neither keys nor counts")
    func refusedFile() throws {
        try withAccessFile { file throws in
            #expect(try file.ask("/me", file.keyField).status == 200)
            let wrong = file.text.replacing("rate: 2/1h", with: "rate: 9/1h")
                .replacing("require: mobile", with: "require: nobody")
            #expect(try file.gateway.problems(of: wrong).joined().contains("nobody"))
            for status in [200, 429] { #expect(try file.ask("/me", file.keyField).status == status) }
            #expect(file.provider.fetches == 1)
        }
    }

    @Test("An endpoint that loses its requirement is open from the reload on, and one that gains it is not")
    func requirement() throws {
        try withAccessFile { file throws in
            let client = try RawClient(port: file.server.port)
            #expect(try client.reply(to: "/page").status == 401)
            let open = file.text.replacing(
                "require: mobile\n  parts: {user: {upstream: parts, get: \"/users/{claims.sub}\"}}",
                with: "require: none\n  parts: {user: {upstream: parts, get: /users}}")
            try file.gateway.reload(open)
            #expect(try client.reply(to: "/page").status == 200)
            try file.gateway.reload(file.text)
            #expect(try client.reply(to: "/page").status == 401)
            client.close()
        }
    }
}
