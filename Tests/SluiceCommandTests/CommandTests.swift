import Foundation
import JSONBytes
import TestSupport
import Testing

/// Runs `sluice` as a process and checks its output, answers and exit codes.
@Suite("sluice", .serialized)
struct CommandTests {
    private static let charts = "/api/weights/charts?fddDate=2026-11-20"

    private let scratch = ScratchFolder()

    private var diary: String { scratch.file("diary.sqlite3") }

    private func json(_ text: String) throws -> JSONFragment {
        try JSONFragment(validating: Array(text.utf8)[...])
    }

    @Test("A usage error is printed to standard error, and the exit code is 2; 1 if only a folder is missing")
    func wrongUsageIsTold() throws {
        let unknown = try SluiceProcess.run("surve")
        #expect(unknown.exitCode == 2)
        #expect(
            unknown.errors == "sluice: unknown command 'surve'; run 'sluice --help' to list the commands\n")
        let flag = try SluiceProcess.run("serve", "--port", "http")
        #expect(flag.exitCode == 2)
        #expect(flag.errors.contains("--port takes a whole number from 0 to 65535, not 'http'"))
        let level = try SluiceProcess.run("serve", environment: ["SLUICE_LOG_LEVEL": "loud"])
        #expect(level.exitCode == 2)
        #expect(
            level.errors.contains("SLUICE_LOG_LEVEL takes one of debug, info, warning, error, not 'loud'"))
        let upstream = try SluiceProcess.run("serve", "--upstream", "diary")
        #expect(upstream.exitCode == 2)
        #expect(upstream.errors.contains("--upstream takes NAME=URL, not 'diary'"))
        for command in ["serve", "demo"] {
            let pages = try SluiceProcess.run(command, "--public", "/nonexistent")
            #expect(pages.exitCode == 1)
            #expect(
                pages.errors.contains(
                    "--public takes a readable folder: file /nonexistent: No such file or directory\n"))
            let empty = try SluiceProcess.run(command, "--public", "")
            #expect(empty.exitCode == 2)
            #expect(empty.errors.hasPrefix("sluice: --public needs a folder; "))
        }
        let spool = try SluiceProcess.run("serve", "--spool-directory", "/nonexistent")
        #expect(spool.exitCode == 1)
        #expect(
            spool.errors.contains(
                "a writable folder: spool /nonexistent: No such file or directory\n"))
        let empty = try SluiceProcess.run("serve", "--spool-directory=")
        #expect(empty.exitCode == 2)
        #expect(empty.errors.hasPrefix("sluice: --spool-directory needs a folder; "))
        let hosts = try SluiceProcess.run("serve", environment: ["SLUICE_HOSTS": "app.test, a b"])
        #expect(hosts.exitCode == 2)
        #expect(
            hosts.errors.contains(
                "SLUICE_HOSTS takes names separated by commas, or any: 'a b' is not a host name such as"))
        let name = try SluiceProcess.run("demo", "--name", "a/b")
        #expect(name.exitCode == 2)
        #expect(name.errors.contains("--name takes 1 to 64 letters, digits or any of"))
        #expect(name.errors.contains(", not 'a/b'"))
        #expect(try SluiceProcess.run().exitCode == 2)
        for words in [["--version", "now"], ["--help", "me"]] {
            let extra = try SluiceProcess(words).finish()
            #expect(extra.exitCode == 2)
            #expect(extra.errors == "sluice: unexpected argument '\(words[1])' after \(words[0])\n")
        }
        let health = try SluiceProcess.run("health", "foo")
        #expect(health.exitCode == 2)
        #expect(health.errors.hasPrefix("sluice: 'foo' is not a valid URL: "))
    }

    @Test("An unknown host gets 421, a listed host is served, and Proxy-Status has the gateway's name")
    func hostsAndName() throws {
        let gateway = try SluiceProcess(
            [
                "serve", "--port", "0", "--drain-delay", "0", "--hosts", "app.test, *.app.test", "--upstream",
                "diary=http://127.0.0.1:1",
            ], environment: ["SLUICE_NAME": "edge"])
        let url = "http://127.0.0.1:\(try gateway.readPort())\(Self.charts)"
        let foreign = try curl("--header", "Host: evil.test", url)
        #expect(foreign.status == 421)
        #expect(
            try json(foreign.body)[member: "message"]?.stringValue
                == "This gateway does not serve the host 'evil.test'")
        #expect(try curl("--header", "Host: localhost", url).status == 421)
        for host in ["app.test", "a.APP.test:8080", "127.0.0.1"] {
            let own = try curl("--include", "--header", "Host: \(host)", url)
            #expect(own.status == 502, "the upstream must refuse connections")
            #expect(own.body.contains("Proxy-Status: edge; error=connection_refused"), "\(host)")
        }
        gateway.signal(SIGTERM)
        #expect(gateway.finish().exitCode == 0)
    }

    @Test("Help and version are printed to standard output, and the exit code is 0")
    func helpAndVersion() throws {
        let help = try SluiceProcess.run("--help")
        #expect(help.exitCode == 0)
        #expect(help.output.contains("usage: sluice COMMAND"))
        let serve = try SluiceProcess.run("serve", "--help")
        #expect(serve.exitCode == 0)
        #expect(serve.output.contains("--drain-delay SECONDS"))
        let version = try SluiceProcess.run("--version")
        #expect(version.output.wholeMatch(of: /sluice \d+\.\d+\.\d+\n/) != nil)
    }

    @Test(
        "An invalid address and an unknown upstream end the start with exit code 2, an unusable data file with 1"
    )
    func whatCannotStart() throws {
        let url = try SluiceProcess.run("serve", "--port", "0", "--upstream", "diary=nowhere")
        #expect(url.exitCode == 2)
        #expect(
            url.errors
                == "sluice: the address of upstream diary, 'nowhere', is invalid: "
                + "a URL begins with http:// or https://; run 'sluice serve --help' to list the flags\n")
        let name = try SluiceProcess.run("serve", "--port", "0", "--upstream", "dairy=http://127.0.0.1:1")
        #expect(name.exitCode == 2)
        #expect(
            name.errors.contains(
                "--upstream sets the unknown 'dairy'; the upstreams are diary, weather, places, users, tags"))
        let data = try SluiceProcess.run("demo", "--port", "0", "--data", "/proc/none/diary.sqlite3")
        #expect(data.exitCode == 1)
        #expect(data.errors.contains("/proc/none/diary.sqlite3"))
    }

    @Test("A gateway does not start with too few file descriptors")
    func tooFewDescriptors() throws {
        let ended = try SluiceProcess(
            ["serve", "--port", "0", "--loops", "1"],
            starter: ["/bin/sh", "-c", "ulimit -n 30; exec \"$0\" \"$@\""]
        ).finish()
        #expect(ended.exitCode == 1)
        #expect(
            ended.errors
                == "sluice: a gateway needs 32 file descriptors and 8 for each loop, 40 in all, "
                + "but the limit (ulimit -n) is 30\n")
    }

    @Test("A port in use ends every server with exit code 1 and an error that names the port")
    func aTakenPort() throws {
        let first = try SluiceProcess(["serve", "--port", "0", "--drain-delay", "0"])
        let port = try first.readPort()
        for command in ["serve", "demo", "upstream"] {
            let data = command == "serve" ? [] : ["--data", diary]
            let second = try SluiceProcess([command, "--port", "\(port)"] + data).finish()
            #expect(second.exitCode == 1)
            #expect(second.errors.contains("127.0.0.1:\(port) is taken"))
            #expect(second.output.isEmpty)
        }
        first.signal(SIGTERM)
        #expect(first.finish().exitCode == 0)
    }

    @Test("The demo answers charts from two upstream calls and logs the request")
    func theDemoAnswersCharts() throws {
        let demo = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        let port = try demo.readPort()
        #expect(demo.readLine()?.hasPrefix("sample upstreams on ports ") == true)
        let (status, body) = try curl("http://127.0.0.1:\(port)\(Self.charts)")
        #expect(status == 200)
        let envelope = try json(body)
        #expect(envelope.members.map(\.name) == ["code", "message", "status", "data", "meta"])
        #expect(envelope[member: "data"]?[member: "recent"]?[member: "points"]?.elements.count == 7)
        #expect(envelope[member: "data"]?[member: "total"]?[member: "points"]?.elements.count == 12)
        let line = try json(try #require(demo.readLine()))
        #expect(line[member: "requestId"] == envelope[member: "meta"]?[member: "requestId"])
        #expect(line[member: "path"]?.stringValue == "/api/weights/charts")
        #expect(line[member: "status"]?.intValue == 200)
        for part in ["recent", "total"] {
            let told = try #require(line[member: "parts"]?[member: part])
            #expect(told[member: "kind"]?.stringValue == "success")
            #expect(told[member: "elapsedMs"]?.doubleValue ?? 0 > 0)
        }
        #expect(!line.description.contains("fddDate"))
        demo.signal(SIGINT)
        #expect(demo.finish().exitCode == 0)
    }

    @Test(
        "The demo prints the address of its console, which answers; without an admin listener it prints none")
    func theDemoPrintsItsConsole() throws {
        let demo = try SluiceProcess([
            "demo", "--port", "0", "--data", diary, "--drain-delay", "0", "--admin", "unix:\(diary).sock",
            "--admin", "127.0.0.1:0",
        ])
        let port = try demo.readPort()
        #expect(demo.readLine()?.hasPrefix("sample upstreams on ports ") == true)
        let line = try #require(demo.readLine())
        let url = try #require(line.wholeMatch(of: /console at (http:\/\/127\.0\.0\.1:\d+\/)/)).1
        let (status, body) = try curl(String(url))
        #expect(status == 200)
        #expect(body.contains("<title>Sluice console</title>"))
        #expect(try curl("http://127.0.0.1:\(port)/console/main.js").0 == 404)
        demo.signal(SIGINT)
        #expect(demo.finish().exitCode == 0)
        let without = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        _ = try without.readPort()
        without.signal(SIGINT)
        #expect(!without.finish().output.contains("console"))
    }

    @Test("An invalid request gets the code and the message of its error in the envelope")
    func whatIsWrongIsNamed() throws {
        let demo = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        let base = "http://127.0.0.1:\(try demo.readPort())"
        let missing = try curl("\(base)/api/weights/charts")
        #expect(missing.status == 400)
        #expect(try json(missing.body)[member: "code"]?.stringValue == "INVALID_REQUEST")
        #expect(
            try json(missing.body)[member: "message"]?.stringValue?.contains("\"fddDate\" is missing") == true
        )
        let malformed = try curl("\(base)/api/weights/screen?fddDate=2026-02-30")
        #expect(malformed.status == 400)
        #expect(
            try json(malformed.body)[member: "message"]?.stringValue?.contains("\"fddDate\" must be") == true)
        #expect(try json(try curl("\(base)/nowhere").body)[member: "code"]?.stringValue == "NOT_FOUND")
        let method = try curl("--request", "POST", "--include", "\(base)/api/weights/today")
        #expect(method.status == 405)
        #expect(method.body.contains("Allow: GET, HEAD, OPTIONS"))
        #expect(method.body.contains("\"code\":\"METHOD_NOT_ALLOWED\""))
        demo.signal(SIGTERM)
        #expect(demo.finish().exitCode == 0)
    }

    @Test("A registered weight is on the new screen, survives a restart, and is gone once deleted")
    func aWeightIsRegistered() throws {
        var demo = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        var base = "http://127.0.0.1:\(try demo.readPort())"
        let asJSON = ["--header", "Content-Type: application/json"]
        let refused = try curl(
            asJSON[0], asJSON[1], "--request", "PUT", "--data", #"{"weight":7}"#,
            "\(base)/api/weights/2026-11-19/am")
        #expect(refused.status == 422)
        let taken = try curl(
            asJSON[0], asJSON[1], "--request", "PUT", "--data", #"{"weight":71.25}"#,
            "\(base)/api/weights/2026-11-19/am")
        #expect(taken.status == 200)
        #expect(try json(taken.body)[member: "data"]?[member: "today"]?[member: "am"]?.description == "71.25")
        demo.signal(SIGTERM)
        #expect(demo.finish().exitCode == 0)

        demo = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        base = "http://127.0.0.1:\(try demo.readPort())"
        let today = try curl("\(base)/api/weights/today?fddDate=2026-11-19")
        #expect(try json(today.body)[member: "data"]?[member: "today"]?[member: "am"]?.description == "71.25")
        let deleted = try curl("--request", "DELETE", "\(base)/api/weights/2026-11-19/am")
        #expect(deleted.status == 200)
        #expect(try json(deleted.body)[member: "data"]?[member: "today"]?[member: "am"]?.isNull == true)
        demo.signal(SIGTERM)
        #expect(demo.finish().exitCode == 0)
    }

    @Test("The screen endpoint returns three parts for one day in one answer")
    func theScreenHasThreeParts() throws {
        let demo = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        let port = try demo.readPort()
        let screen = try curl("http://127.0.0.1:\(port)/api/weights/screen?fddDate=2026-11-20")
        #expect(screen.status == 200)
        let data = try #require(try json(screen.body)[member: "data"])
        #expect(data[member: "recent"]?[member: "points"]?.elements.count == 7)
        #expect(data[member: "total"]?[member: "points"]?.elements.count == 12)
        #expect(data[member: "today"]?[member: "date"]?.stringValue == "2026-11-20")
        demo.signal(SIGTERM)
        #expect(demo.finish().exitCode == 0)
    }

    @Test("A server raises its soft limit of descriptors to the hard limit")
    func theDescriptorLimitIsRaised() throws {
        let serve = try SluiceProcess(["serve", "--port", "0", "--drain-delay", "0"], descriptors: 64)
        _ = try serve.readPort()
        let limits = try String(contentsOfFile: "/proc/\(serve.processIdentifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        #expect(numbers.count == 2)
        #expect(numbers.first == numbers.last)
        #expect(numbers.first ?? 0 > 64)
        serve.signal(SIGTERM)
        #expect(serve.finish().exitCode == 0)
    }

    @Test("If a part of the screen fails after the write, the weight is stored and the answer is partial")
    func whenOnlyTheRedrawingFails() throws {
        let demo = try SluiceProcess(["demo", "--port", "0", "--data", diary, "--drain-delay", "0"])
        let base = "http://127.0.0.1:\(try demo.readPort())"
        let wrong = try curl(
            "--request", "PUT", "--data", #"{"api":"total","fault":"status:9"}"#, "\(base)/demo/faults/diary")
        #expect(wrong.status == 400)
        #expect(wrong.body.contains(#""message":"The status in \"fault\" is \"9\"; "#))
        let unknown = try curl("\(base)/demo/faults/mail")
        #expect(unknown.status == 404)
        #expect(unknown.body.contains(#""message":"No upstream \"mail\" has fault switches; "#))
        let set = try curl(
            "--request", "PUT", "--data", #"{"api":"total","fault":"status:500"}"#,
            "\(base)/demo/faults/diary")
        #expect(set.status == 200)
        let taken = try curl(
            "--header", "Content-Type: application/json", "--request", "PUT", "--data", #"{"weight":70}"#,
            "\(base)/api/weights/2026-11-19/pm")
        #expect(taken.status == 200)
        let envelope = try json(taken.body)
        #expect(envelope[member: "code"]?.stringValue == "PARTIAL")
        #expect(envelope[member: "data"]?[member: "total"]?.isNull == true)
        #expect(envelope[member: "data"]?[member: "today"]?[member: "pm"]?.description == "70.0")
        #expect(envelope[member: "errors"]?[element: 0]?[member: "part"]?.stringValue == "total")
        demo.signal(SIGTERM)
        #expect(demo.finish().exitCode == 0)
    }

    @Test("serve calls an upstream in another process, and answers 502 once that process has ended")
    func serveCallsTheUpstream() throws {
        let upstream = try SluiceProcess(["upstream", "--port", "0", "--data", diary])
        let upstreamPort = try upstream.readPort()
        let gateway = try SluiceProcess(
            ["serve", "--port", "0", "--drain-delay", "0"],
            environment: ["SLUICE_UPSTREAM": "diary=http://127.0.0.1:\(upstreamPort)", "SLUICE_LOOPS": "1"])
        let url = "http://127.0.0.1:\(try gateway.readPort())"
        #expect(try SluiceProcess.run("health", url).exitCode == 0)
        #expect(try curl("\(url)\(Self.charts)").status == 200)
        let logged = try json(try #require(upstream.readLine()))
        #expect(logged[member: "path"]?.stringValue == "/food-diary/weights")
        upstream.signal(SIGTERM)
        #expect(upstream.finish().exitCode == 0)
        let gone = try curl("\(url)\(Self.charts)")
        #expect(gone.status == 502)
        let error = try #require(try json(gone.body)[member: "errors"]?[element: 0])
        #expect(error[member: "reason"]?.stringValue == "connection_refused")
        gateway.signal(SIGTERM)
        #expect(gateway.finish().exitCode == 0)
        let health = try SluiceProcess.run("health", url)
        #expect(health.exitCode == 1)
        #expect(health.errors.hasPrefix("sluice: not ready: "))
    }

    @Test("The gateway keeps serving after the reader of its access log has closed")
    func aReaderThatGoesAwayEndsNothing() throws {
        let gateway = try SluiceProcess(["serve", "--port", "0", "--drain-delay", "0"])
        let url = "http://127.0.0.1:\(try gateway.readPort())"
        gateway.closeOutput()
        for _ in 0..<3 { #expect(try curl("\(url)/nowhere").status == 404) }
        #expect(try SluiceProcess.run("health", url).exitCode == 0)
        gateway.signal(SIGTERM)
        #expect(gateway.finish().exitCode == 0)
    }

    @Test("The health probe succeeds for a sample upstream, and fails for https on a port without TLS")
    func healthOfTheUpstreamAndHTTPS() throws {
        let upstream = try SluiceProcess(["upstream", "--port", "0", "--data", diary])
        let port = try upstream.readPort()
        #expect(try SluiceProcess.run("health", "http://127.0.0.1:\(port)").exitCode == 0)
        let https = try SluiceProcess.run("health", "https://127.0.0.1:\(port)")
        #expect(https.exitCode == 1)
        #expect(https.errors.contains("tls_protocol_error"))
        upstream.signal(SIGTERM)
        #expect(upstream.finish().exitCode == 0)
    }

    @Test(
        "A second signal ends a draining gateway at once, and the exit code names it",
        arguments: [SIGTERM, SIGINT])
    func aSecondSignalEndsAtOnce(signal: Int32) throws {
        let gateway = try SluiceProcess(["serve", "--port", "0", "--drain-delay", "29"])
        let url = "http://127.0.0.1:\(try gateway.readPort())"
        try spin(while: try SluiceProcess.run("health", url).exitCode != 0) { gateway.errors }
        gateway.signal(signal)
        try spin(while: try SluiceProcess.run("health", url).exitCode == 0) { gateway.errors }
        gateway.signal(signal)
        #expect(gateway.finish().exitCode == 128 + signal)
    }
}
