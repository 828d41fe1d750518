import Foundation
import JSONBytes
import TestSupport
import Testing

extension InBrowser {
    @Suite("The trace below each screen", .timeLimit(.minutes(2)))
    struct TraceTests {
        @Test("Each part and each attempt has its own row")
        func waterfall() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                for part in ["weights", "weather", "tags", "user"] {
                    #expect(try await page.count("#home-trace [data-row-part=\"\(part)\"]") == 1)
                }
                #expect(try await page.count("#home-trace [data-row-attempt=\"user users 1\"]") == 1)
                #expect(try await page.count("#home-trace [data-row-attempt=\"user users 2\"]") == 0)
                // The weights need two calls to one upstream.
                for call in ["diary GET recent", "diary GET today"] {
                    #expect(try await page["#home-trace .waterfall"].text.contains(call))
                }
                #expect(try await !page["#home-trace .waterfall"].text.contains("users GET user"))
                #expect(
                    try await page.run(
                        """
                        const end = (bar) => Number.parseFloat(bar.style.left) + Number.parseFloat(bar.style.width);
                        return [...document.querySelectorAll(".waterfall")].every((rows) => {
                          const whole = end(rows.querySelector("[data-row-whole] .span"));
                          return [...rows.querySelectorAll(".bar-room i")].every((bar) => end(bar) <= whole + 0.001);
                        });
                        """, as: Bool.self), "a bar ends after the request")
                try await page.breakUpstream("users", by: "drop")
                try await page.cards(are: ["user": "failed"])
                #expect(try await page.count("#home-trace [data-row-attempt^=\"user users \"]") == 3)
                for attempt in 1...3 {
                    let row = page["#home-trace [data-row-attempt=\"user users \(attempt)\"]"]
                    #expect(try await row.text.contains("connection_terminated"))
                    #expect(
                        try await page.count("#home-trace [data-row-attempt=\"user users \(attempt)\"] .lost")
                            > 0)
                }
                #expect(
                    try await page["#home-trace .trace-fields"].text.contains("Server-Timing: sluice;dur="))
                #expect(
                    try await page["#home-trace .trace-fields"].text.contains(
                        "Proxy-Status: sluice; error=connection_terminated; details=\"user\""))
            }
        }

        @Test("The raw envelope is shown unchanged")
        func envelope() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page["#home-trace .raw summary"].click()
                let shown = try await page["#home-trace [data-raw]"].text
                let envelope = try JSONFragment(validating: Array(shown.utf8)[...])
                #expect(envelope[member: "code"]?.stringValue == "OK")
                #expect(envelope.members.map(\.name) == ["code", "message", "status", "data", "meta"])
                #expect(envelope.value(at: "/data/user/name")?.stringValue == "GREEN")
            }
        }

        @Test("The curl lines of reads and writes run in a real shell")
        func curl() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let home = try Shell.run(try await page["#home-trace [data-curl]"].text)
                #expect(home.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(home.contains(#"{"code":"OK","message":"success","status":200,"data":{"weights":"#))

                let before = try await page.weight("am")
                try await page["[data-change=am]"].click()
                try await page["#entry-weight"].fill("61.25")
                try await page["#entry [type=submit]"].click()
                try await page.weight("am", is: 61.25)
                let line = try await page["#weights-trace [data-curl]"].text
                // The line has the condition of the page's request.
                #expect(try Shell.run(line).hasPrefix("HTTP/1.1 412 "))
                try await demo.setWeight(before, on: try await page.day, "am", of: page.visitor)
                let answer = try Shell.run(line)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
                // The line has stored the weight again.
                try await page["#weights [data-reload]"].click()
                try await page.weight("am", is: 61.25)
            }
        }

        @Test("A button copies the curl line and says so")
        func copied() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.permit("clipboard-read")
                try await page.permit("clipboard-write")
                let button = page["#home-trace [data-copy]"]
                #expect(try await button.text == "Copy")
                try await button.click()
                try await button.says("Copied")
                #expect(
                    try await page.run("return await navigator.clipboard.readText()", as: String.self)
                        == page["#home-trace [data-curl]"].text)
            }
        }
    }
}

enum Shell {
    static func run(_ line: String, limit: Int = 20, mayFail: Bool = false) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line + " --silent --max-time \(limit)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(mayFail || process.terminationStatus == 0, "\(line)")
        return String(decoding: output, as: UTF8.self)
    }
}
