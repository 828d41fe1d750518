import Foundation
import JSONBytes
import TestSupport
import Testing

extension CommandTests {
    /// Requests a user's picture, which passes through the gateway.
    @Suite("Pictures through the gateway")
    struct PictureTests {
        private static let picture = "/images/GREEN/picture"
        private static let visitor = "Demo-Visitor: 3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c03"

        @Test("A picture has the upstream's type, tag and lifetime, and a client that has it gets 304")
        func passesThrough() throws {
            try withDemo { demo in
                let answer = try demo.askRaw(Self.picture)
                #expect(answer.status == 200)
                #expect(answer.head.contains("\r\nContent-Type: image/svg+xml\r\n"))
                #expect(answer.head.contains("\r\nCache-Control: max-age=3600\r\n"))
                #expect(answer.head.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
                #expect(answer.body.hasPrefix("<svg ") && answer.body.contains(">GK</text>"))
                let tag = try #require(answer.head.firstMatch(of: /ETag: ("[^"]+")/)).1
                let known = try demo.askRaw("--header", "If-None-Match: \(tag)", Self.picture)
                #expect(known.status == 304 && known.body.isEmpty)
                #expect(known.head.contains("\r\nETag: \(tag)\r\n"))
                let head = try demo.askRaw("--head", Self.picture)
                #expect(head.status == 200 && head.head.contains("\r\nETag: \(tag)\r\n"))
                #expect(try demo.askRaw("--request", "DELETE", Self.picture).status == 405)
            }
        }

        @Test("The upstream's refusal passes through, and a lost response is answered by the gateway")
        func failures() throws {
            try withDemo { demo in
                let unknown = try demo.get("/images/NOBODY/picture")
                #expect(unknown.status == 404 && unknown.code == "USER_NOT_FOUND")
                #expect(unknown.json.members.map(\.name) == ["code", "message"])
                try demo.set("drop", "users", api: "picture")
                let lost = try demo.get(Self.picture)
                #expect(lost.status == 502 && lost.code == "BAD_GATEWAY")
                #expect(try demo.get("/api/users/GREEN").code == "OK")
            }
        }

        @Test("A visitor's fault breaks pictures for that visitor only")
        func visitors() throws {
            try withDemo { demo in
                let set = try demo.ask(
                    "--header", Self.visitor, "--request", "PUT", "--data", #"{"fault":"status:500"}"#,
                    "/demo/faults/users")
                #expect(set.status == 200)
                #expect(try demo.askRaw("--header", Self.visitor, Self.picture).status == 500)
                #expect(try demo.askRaw(Self.picture).status == 200)
                #expect(try demo.get("/api/home").code == "OK")
                #expect(try demo.askRaw("--header", "Demo-Visitor: me", Self.picture).status == 400)
            }
        }

        @Test("serve passes the path below /images on to the address of users")
        func serve() throws {
            let samples = try SluiceProcess([
                "upstream", "--port", "0", "--data", ScratchFolder().file("diary.sqlite3"),
            ])
            let address = "http://127.0.0.1:\(try samples.readPort())"
            let gateway = try SluiceProcess([
                "serve", "--port", "0", "--drain-delay", "0", "--upstream", "users=\(address)/users",
            ])
            let url = "http://127.0.0.1:\(try gateway.readPort())/images"
            let picture = try curl("\(url)/GREEN/picture")
            #expect(picture.status == 200)
            #expect(try picture.body == curl("\(address)/users/GREEN/picture").body)
            #expect(try curl("\(url)/GREEN").body == curl("\(address)/users/GREEN").body)
            for process in [gateway, samples] {
                process.signal(SIGTERM)
                #expect(process.finish().exitCode == 0)
            }
        }

        @Test("The screens of the demo are compressed for clients that accept it", arguments: ["gzip", "br"])
        func compressed(coding: String) throws {
            try withDemo { demo in
                for screen in ["/api/home", "/api/weights/screen?fddDate=2026-11-20"] {
                    let answer = try demo.askRaw(
                        "--header", "Accept-Encoding: \(coding)", "--output", "/dev/null", "--dump-header",
                        "-",
                        screen)
                    #expect(answer.head.contains("\r\nContent-Encoding: \(coding)\r\n"), "\(answer.head)")
                    let plain = try demo.askRaw(screen)
                    #expect(!plain.head.contains("\r\nContent-Encoding:"))
                }
            }
        }
    }
}
