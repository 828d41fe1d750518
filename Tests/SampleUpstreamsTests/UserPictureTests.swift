import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Pictures of users")
struct UserPictureTests {
    private static let green = "/users/GREEN/picture"

    @Test("A picture is SVG with the initials, and every server has the same for the same name")
    func picture() throws {
        var pictures: [String: [String]] = [:]
        for _ in 0..<2 {
            try withServer { server in
                for (name, initials) in [
                    ("GREEN", "GK"), ("BLUE", "BL"), ("RED", "RP"), ("VIOLET", "VC"),
                    ("%ED%95%98%EB%8A%98", "HJ"),
                ] {
                    let answer = try server.send("GET", "/users/\(name)/picture")
                    #expect(answer.status == 200)
                    #expect(answer.field("Content-Type") == "image/svg+xml")
                    #expect(answer.field("Cache-Control") == "max-age=3600")
                    #expect(answer.text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
                    #expect(answer.text.contains(">\(initials)</text></svg>"), "\(answer.text)")
                    pictures[name, default: []] += [answer.text + (answer.field("ETag") ?? "")]
                }
            }
        }
        #expect(pictures.values.allSatisfy { $0.count == 2 && $0[0] == $0[1] })
        #expect(Set(pictures.values.map { $0[0] }).count == 5)
    }

    @Test("A client that has the picture gets 304 without a body, whether a proxy weakened the tag or not")
    func known() throws {
        try withServer { server in
            let tag = try #require(try server.send("GET", Self.green).field("ETag"))
            for condition in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let answer = try server.send("GET", Self.green, field: "If-None-Match: \(condition)")
                #expect(answer.status == 304, "\(condition)")
                #expect(answer.field("ETag") == tag)
                #expect(answer.field("Cache-Control") == "max-age=3600")
                #expect(answer.body.isEmpty)
            }
            let blue = try #require(try server.send("GET", "/users/BLUE/picture").field("ETag"))
            for condition in [blue, "\"other\"", "GREEN"] {
                let answer = try server.send("GET", Self.green, field: "If-None-Match: \(condition)")
                #expect(answer.status == 200, "\(condition)")
            }
        }
    }

    @Test("An unknown user has no picture, even for a client that knows one, and a name can be too long")
    func unknown() throws {
        try withServer { server in
            let answer = try server.send("GET", "/users/NOBODY/picture", field: "If-None-Match: *")
            #expect(answer.status == 404)
            #expect(answer.json?[member: "code"]?.stringValue == "USER_NOT_FOUND")
            let long = try server.send("GET", "/users/\(String(repeating: "x", count: 33))/picture")
            #expect(long.status == 400)
            #expect(long.json?[member: "code"]?.stringValue == "INVALID_NAME")
        }
    }

    @Test("The picture can fail while the profile is there, and fails with its upstream")
    func faults() throws {
        try withServer { server in
            server.samples.faults.set(.status(503), for: .picture)
            let broken = try server.send("GET", Self.green)
            #expect(broken.status == 503)
            #expect(try server.send("GET", "/users/GREEN").status == 200)
            server.samples.faults.set(.status(500), for: .users)
            #expect(try server.send("GET", Self.green).status == 500)
        }
    }
}
