import Foundation
import Testing

/// `Tests/run`, on programs that write the events of the test library.
@Suite("The test runner")
struct RunnerTests {
    /// A bundle: a script that finds the path for the events in `$events`.
    private static func bundle(_ script: String) throws -> Folder {
        let folder = try Folder()
        try folder.copy("Tests/run")
        try folder.write(
            "build/debug/bundle",
            """
            #!/bin/sh
            for word; do [ "$previous" != --event-stream-output-path ] || events=$word; previous=$word; done
            test() { echo '{"kind":"test","payload":{"kind":"function","id":"A.B/'$1'()/B.swift:1:1","name":"'$1'()",\
            "displayName":"It is '$1'"}}' >>"$events"; }
            event() { echo '{"kind":"event","payload":{"kind":"'$1'","testID":"A.B/'$2'()/B.swift:1:1",\
            "instant":{"absolute":'${3:-0}'},"messages":[{"text":"'"$4"'"}],"issue":{"isKnown":'${5:-false}',\
            "sourceLocation":{"fileID":"A/B.swift","line":7}}}}' >>"$events"; }
            \(script)

            """)
        return folder
    }

    private static func run(
        _ script: String, rounds: Int? = nil, _ arguments: [String] = ["--parallel"], minutes: String = "1"
    ) throws -> Command {
        let folder = try bundle(script)
        return try Command(
            ["Tests/run"] + (rounds.map { ["--rounds", "\($0)"] } ?? []) + ["all", "build/debug/bundle"]
                + arguments,
            in: folder.url, environment: ["TEST_MINUTES": minutes])
    }

    @Test("A failed test is named with its place and text, and the run fails")
    func failure() throws {
        let command = try Self.run(
            """
            test good; test bad
            event testStarted good; event testEnded good
            event testStarted bad; event issueRecorded bad 0 'Expectation failed: 1 == 2'; event testEnded bad
            event runEnded '' 0 'Test run with 2 tests failed.'
            exit 1
            """)
        #expect(command.status == 1)
        #expect(command.output.contains("✘ Test run with 2 tests failed.\n"))
        #expect(
            command.output.contains("✘ A.B/bad() \"It is bad\"\n  A/B.swift:7: Expectation failed: 1 == 2\n"))
        #expect(!command.output.contains("It is good"))
    }

    @Test("A crash fails with the tests that were running, the cause and the end of the log")
    func crash() throws {
        let command = try Self.run(
            """
            test gone; test never; event testStarted gone; printf '{"kind":"ev' >>"$events"
            echo 'B.swift:9: the last words'; echo 'Fatal error: out of range'; kill -ILL $$
            """)
        #expect(command.status == 1)
        #expect(command.output.contains("✘ The test run did not end.\n"))
        #expect(
            command.output.contains("  ended with status -4\n  still running: A.B/gone() \"It is gone\"\n"))
        #expect(command.output.contains("\nFatal error: out of range\n"))
        #expect(command.output.contains("    B.swift:9: the last words\n"))
        #expect(!command.output.contains("It is never"))
    }

    @Test("A run that does not end in time is stopped, and the tests that were running are named")
    func hang() throws {
        let command = try Self.run(
            "test hung; event testStarted hung; exec cat /dev/zero >/dev/null", minutes: "0.003")
        #expect(command.status == 1)
        #expect(command.output.contains("its time was over (TEST_MINUTES)\n"))
        #expect(command.output.contains("still running: A.B/hung() \"It is hung\"\n"))
    }

    @Test("A run of no test and a crash after the last test fail")
    func emptyRuns() throws {
        let none = try Self.run("event runEnded '' 0 'Test run with 0 tests passed.'")
        #expect(none.status == 1)
        #expect(none.output.contains("  no test was run\n"))
        let late = try Self.run(
            """
            test good; event testStarted good; event testEnded good
            event runEnded '' 0 'Test run with 1 test passed.'; exit 66
            """)
        #expect(late.status == 1)
        #expect(late.output.hasPrefix("✘ The tests passed, but their process ended with status 66.\n"))
        #expect(!late.output.contains("1 test passed"))
    }

    @Test("A known issue does not fail the run, and slow tests that run one by one are listed")
    func passing() throws {
        let command = try Self.run(
            """
            test slow; event testStarted slow 2; event issueRecorded slow 3 known true; event testEnded slow 5.25
            event runEnded '' 6 'Test run with 1 test passed.'
            """, ["--no-parallel"])
        #expect(command.status == 0)
        #expect(
            command.output.hasPrefix("✔ Test run with 1 test passed.\n  1 test, log in build/tests/all.log\n")
        )
        #expect(command.output.hasSuffix("      3.2 s  A.B/slow() \"It is slow\"\n"))
    }

    @Test("The arguments of the test library reach it")
    func arguments() throws {
        let script = "test x; event testStarted x; event testEnded x; event runEnded '' 0 \"$*\""
        let command = try Self.run(script, ["--no-parallel", "--filter", "^(A|B)"])
        #expect(command.status == 0)
        #expect(
            command.output.hasPrefix(
                "✔ --testing-library swift-testing --no-parallel --filter ^(A|B) --event-stream"))
    }

    @Test("Rounds run on after a failure, and name the tests that fail in some or in all of them")
    func rounds() throws {
        let command = try Self.run(
            """
            echo >>rounds; test good; test flaky; test bad
            for name in good flaky bad; do event testStarted $name; event testEnded $name; done
            event issueRecorded bad 0 broken
            [ "$(wc -l <rounds)" != 2 ] || event issueRecorded flaky 0 broken
            event runEnded; exit 1
            """, rounds: 3)
        #expect(command.status == 1)
        #expect(
            command.output.hasSuffix(
                """
                all, 3 rounds: 2 tests failed
                  always: A.B/bad() "It is bad"
                  in 2: A.B/flaky() "It is flaky"

                """))
        let good = try Self.run(
            "test x; event testStarted x; event testEnded x; event runEnded", rounds: 2)
        #expect(good.status == 0)
        #expect(good.output.hasSuffix("all, 2 rounds: no test failed\n"))
    }
}
