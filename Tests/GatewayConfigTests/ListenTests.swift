import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("Reading where a file's gateway listens")
struct ListenTests {
    /// One file, with a variable and a secret for `listen`. Others must not be asked for.
    private struct Source: ConfigSource {
        let text: String

        func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
            if path == "f" { return Array(text.utf8) }
            if path != "/run/port" { Issue.record("read \(path)") }
            return Array("9001\n".utf8)
        }

        func paths(matching pattern: String) throws(ConfigSourceError) -> [String] {
            Issue.record("looked for \(pattern)")
            return []
        }

        func variable(_ name: String) -> String? {
            if name != "HOST" { Issue.record("asked for \(name)") }
            return "::1"
        }
    }

    private func read(_ text: String) -> ConfigReading {
        ConfigReading.listen(of: "f", from: MemorySource(files: ["f": text]))
    }

    @Test("Only the variables and secrets of listen are read")
    func variables() throws {
        let source = Source(
            text: """
                version: 1
                name: ${NAME}
                include: [more.yaml, apis/*.yaml]
                upstreams: {api: {url: "${URL}", headers: {X-Key: "${file:/run/secrets/key}"}}}
                listen: {host: "${HOST}", port: "${file:/run/port}"}
                x-other: "${file:/run/other}"

                """)
        let reading = ConfigReading.listen(of: "f", from: source)
        #expect(
            reading.lines == [
                "f:5:33: error: listen.port: \"${file:/run/port}\" is text; write it without quotes, "
                    + "on a line of its own and not within {} or []"
            ])
        #expect(reading.paths == ["f", "/run/port"])
    }

    @Test("The value of a variable gets the type of its place")
    func types() throws {
        let source = Source(text: "listen:\n  host: ${HOST}\n  port: ${file:/run/port}\n")
        let document = try #require(ConfigReading.listen(of: "f", from: source).document)
        #expect(document.settings.host == "::1")
        #expect(document.settings.port == 9001)
        #expect(!document.changes.has("listen.loops"))
    }

    @Test("What other members have wrong is not told, and they stay unread")
    func otherMembers() throws {
        let reading = read(
            """
            listen: {port: 9000, x-why: ingress}
            listen: {port: 9001}
            upstreams: {a: {ulr: 5, tls: !!str x}, a: "${"}
            endpoints: [*none, {get: /a, parts: {a: {upstream: b}}}]

            """)
        #expect(reading.lines == [])
        let document = try #require(reading.document)
        #expect(document.settings.port == 9000)
        #expect(document.upstreams.isEmpty)
        #expect(document.endpoints.isEmpty)
    }

    @Test(
        "A file without listen has the defaults",
        arguments: ["version: 1\n", "listen: {}\n", "{}\n"])
    func absent(text: String) throws {
        let document = try #require(read(text).document)
        #expect(!document.changes.has("listen.host") && !document.changes.has("listen.port"))
    }

    @Test("Aliases and merged members work as in the whole file")
    func aliases() throws {
        let reading = read("x-at: &at\n  host: 0.0.0.0\n  port: ${PORT:-81}\nlisten: {<<: *at, loops: 2}\n")
        let settings = try #require(reading.document).settings
        #expect(settings.host == "0.0.0.0")
        #expect(settings.port == 81)
    }

    @Test(
        "What is wrong with listen is told with its place",
        arguments: [
            ("listen: {port: 80 80}", "f:1:16: error: listen.port: 80 80 is not a whole number"),
            ("listen: {prot: 80}", "f:1:10: error: listen has no member \"prot\"; did you mean \"port\"?"),
            ("listen: 80", "f:1:9: error: listen is a mapping, such as {host: 127.0.0.1}"),
            ("listen:", "f:1:8: error: listen has no value"),
            ("listen: {port: *at}", "f:1:16: error: *at: there is no anchor \"at\" above"),
            ("listen: {port: !!int 80}", "f:1:16: error: the format has no tags"),
            ("listen:\n  port: ${PORT}", "f:2:9: error: ${PORT}: the variable is not set and has no default"),
            ("- listen", "f:1:1: error: the file is a mapping, such as {name: value}"),
            ("", "f:1:1: error: the file is empty"),
        ])
    func problems(text: String, line: String) {
        let reading = read(text)
        #expect(reading.document == nil)
        #expect(reading.lines == [line])
    }

    @Test("A file that is missing or is no YAML is an error")
    func unreadable() {
        let missing = ConfigReading.listen(of: "g", from: MemorySource())
        #expect(missing.document == nil)
        #expect(missing.lines == ["g:1:1: error: the file cannot be read: no such file"])
        let broken = read("listen: {port: 80}\nendpoints: [\n")
        #expect(broken.document == nil)
        #expect(broken.lines.count == 1)
        #expect(broken.lines[0].hasPrefix("f:"))
    }
}
