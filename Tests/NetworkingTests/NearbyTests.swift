import Networking
import Testing

@Suite("Nearby upstreams")
struct NearbyTests {
    @Test(
        "A Unix-domain socket, a private address, or a name that only a private network knows is nearby",
        arguments: [
            "unix:/run/diary.sock", "http://127.0.0.1:81", "http://127.9.9.9", "http://[::1]:81",
            "http://10.1.2.3", "http://172.16.0.1", "http://172.31.255.255", "http://192.168.0.9",
            "http://169.254.1.1", "http://[fd12::1]", "http://[fc00::1]", "http://[fe80::1]",
            "http://[febf::1]", "http://[::ffff:10.0.0.1]", "http://localhost:81", "https://LOCALHOST",
            "http://diary", "http://diary.", "http://diary.default.svc.cluster.local",
            "http://diary.c.project.internal", "http://a.localhost",
        ])
    func nearby(_ url: String) throws {
        #expect(try Upstream(name: "diary", baseURL: url).isNearby)
    }

    @Test(
        "Any other address or name is not",
        arguments: [
            "http://8.8.8.8", "http://172.15.255.255", "http://172.32.0.1", "http://192.169.0.1",
            "http://11.0.0.1", "http://126.0.0.1", "http://169.253.0.1", "http://[2001:db8::1]",
            "http://[::2]", "http://[fec0::1]", "http://[::ffff:8.8.8.8]", "http://api.example.com",
            "https://internal.example.com", "http://local.test", "http://mylocal.test.",
        ])
    func remote(_ url: String) throws {
        #expect(try !Upstream(name: "diary", baseURL: url).isNearby)
    }

    @Test("An upstream with several addresses is nearby if all are")
    func several() throws {
        let near = try Upstream(name: "diary", baseURLs: ["http://10.0.0.1", "http://10.0.0.2"])
        #expect(near.isNearby)
        let mixed = try Upstream(name: "diary", baseURLs: ["http://10.0.0.1", "http://api.example.com"])
        #expect(!mixed.isNearby)
    }

    @Test("A policy decides from which upstreams compressed responses are accepted")
    func policy() throws {
        let near = try Upstream(name: "diary", baseURL: "http://127.0.0.1")
        let far = try Upstream(name: "diary", baseURL: "http://api.example.com")
        func accepts(_ compression: UpstreamCompression) -> [Bool] {
            [compression.accepts(from: near), compression.accepts(from: far)]
        }
        #expect(accepts(UpstreamPolicy().compression) == [false, true])
        #expect(accepts(.unlessNearby) == [false, true])
        #expect(accepts(.always) == [true, true])
        #expect(accepts(.never) == [false, false])
    }
}
