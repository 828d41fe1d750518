import Foundation
import JSONBytes
import Locking
import Networking
import TestSupport
import Testing

extension InThirdBrowser {
    @Suite("A walk through all faults of all upstreams", .timeLimit(.minutes(3)))
    struct FaultWalkTests {
        /// What a visitor has broken: the fault of each upstream.
        typealias Faults = [String: String]

        /// What one visitor breaks, a load of the page each.
        struct Walk: Sendable {
            let look: Look
            var loads: [Faults]
        }

        private static let looks = [Look(), Look(device: .phone, theme: .dark, language: .korean)]

        /// Faults that end within moments, and those that end at a limit. Each has visitors of its own, so
        /// that they are walked at once.
        private static let fast = [
            "delay:1200", "flaky:2", "status:503", "status:204", "drop", "garbage", "truncate",
        ]
        private static let slow = ["delay:8000", "trickle"]

        /// Each fault of each upstream once. The optional parts are broken together; the diary alone, because
        /// without it the gateway answers before the others have ended.
        private static let walks: [Walk] = {
            func together(_ kinds: [String]) -> Faults {
                ["weather": kinds[0], "users": kinds[1], "tags": kinds[2]]
            }
            var quick = looks.map { Walk(look: $0, loads: []) }
            for (index, kind) in fast.enumerated() {
                let others = [0, 2, 4].map { fast[(index + $0) % fast.count] }
                quick[index % 2].loads.append(together(others))
                quick[1 - index % 2].loads.append(["diary": kind])
            }
            return quick + [
                Walk(look: looks[0], loads: [together([slow[0], slow[1], slow[0]])]),
                Walk(look: looks[1], loads: [together([slow[1], slow[0], slow[1]])]),
                Walk(look: looks[0], loads: [["diary": slow[0]]]),
                Walk(look: looks[1], loads: [["diary": slow[1]]]),
            ]
        }()

        @Test("Each fault that the page offers is walked, of each upstream")
        func offered() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                let offered = try await page.run(
                    """
                    return [...document.querySelectorAll("[data-fault-kind] option")]
                      .map(({ value, parentElement }) => `${parentElement.dataset.faultKind} ${value}`);
                    """, as: [String].self)
                let walked = Self.walks.flatMap(\.loads).flatMap { $0.map { "\($0.key) \($0.value)" } }
                #expect(walked.sorted() == offered.filter { !$0.hasSuffix(" none") }.sorted())
            }
        }

        @Test("The page's words are what was on the wire, with Sluice and without")
        func words() async throws {
            let demo = try await Demo()
            defer { demo.stop() }
            let browser = try #require(SharedBrowser.current)
            try await withThrowingTaskGroup { group in
                for walk in Self.walks {
                    group.addTask {
                        try await browser.withOwnPage(walk.look) { page in
                            for (index, faults) in walk.loads.enumerated() {
                                try await page.walk(faults, on: demo, number: index)
                            }
                            expectNone(
                                try await page.consoleComplaints(
                                    expectedStatuses: [502, 503, 504], upstreams: demo.upstreams))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension Page {
    /// Opens the page with these faults, loads the home screen both ways, and compares its words with what
    /// curl gets.
    fileprivate func walk(
        _ faults: InThirdBrowser.FaultWalkTests.Faults, on demo: Demo, number: Int
    ) async throws {
        let text = faults.map { "\($0.key):\($0.value)" }.sorted().joined(separator: ",")
        _ = try await requests()
        // Another query, so the page is loaded again.
        try await open("\(demo.origin)/?load=\(number)#fault=\(text)&view=without")
        let visitor = try await visitor
        try await eventually("the faults are set: \(text)") {
            try await demo.faults(of: visitor).isSuperset(of: faults.map { "\($0.key) \($0.value)" })
        }
        // While the page waits, because some calls last until a limit.
        async let home = HomeWire(demo, visitor)
        async let calls = CallWire.all(ownCalls(at: demo.upstreams), from: demo.origin)
        try await idle(within: .seconds(60))
        let direct = try await view()
        direct.compare(try await calls, faults)
        try await self["#mode input[value=with]"].click()
        try await idle(within: .seconds(60))
        try await view().compare(try await home, faults)
        // Both were loaded at once before.
        #expect(direct.withSluice.hasSuffix(", \(try await home.outcome)"), "\(text): \(direct.withSluice)")
    }

    /// The addresses that the page has called without Sluice.
    private func ownCalls(at upstreams: [String]) async throws -> [String] {
        let own = Lock<Set<String>>([])
        try await eventually("the page makes six calls itself") {
            let called = try await requests().map(\.url).filter { url in
                !url.hasSuffix("/health/live") && upstreams.contains { url.hasPrefix($0 + "/") }
            }
            return own.withLock { own in
                own.formUnion(called)
                return own.count == 6
            }
        }
        return own.withLock { Array($0) }
    }

    private func view() async throws -> HomeView {
        try await run(
            """
            const texts = (selector, root = document) => [...root.querySelectorAll(selector)].map((node) => node.textContent.trim());
            const cards = [...document.querySelectorAll("article.card")].map((card) => ({
              part: card.dataset.part, state: card.dataset.state, names: texts(".names code", card),
              held: card.querySelector(".held")?.dataset.kind ?? null, canRepeat: card.querySelector("[data-control=again]") !== null,
            }));
            const pictured = [...document.querySelectorAll("#flow .upstream")].map(({ dataset }) => [dataset.upstream, dataset.state]);
            return {
              cards, pictured: Object.fromEntries(pictured), badge: texts("#home-verdict .badge")[0], verdict: texts("#home-verdict")[0],
              withSluice: texts("[data-lane-head=with]")[0], without: texts("[data-lane-head=without]")[0] ?? "",
            };
            """, as: HomeView.self)
    }
}

/// What the home screen shows.
private struct HomeView: Decodable, Sendable {
    struct Card: Decodable, Sendable {
        let part: String
        let state: String
        /// The names of a failure: its kind, reason, status, attempts and message; without Sluice the call
        /// and what the browser said.
        let names: [String]
        /// `cancelled` or `held` if another part failed.
        let held: String?
        let canRepeat: Bool
    }

    let cards: [Card]
    /// The state of each upstream in the picture.
    let pictured: [String: String]
    let badge: String
    let verdict: String
    /// The lines of both ways, which are loaded at once.
    let withSluice: String
    let without: String

    private static let upstreams = [
        "weights": "diary", "weather": "weather", "user": "users", "tags": "tags",
    ]

    /// Compares the screen without Sluice with the page's own calls.
    func compare(_ calls: [CallWire], _ faults: [String: String]) {
        let failed = calls.count(where: \.isFailed)
        if !calls.contains(where: \.isUndecided) {
            // One is not written as a number everywhere.
            #expect(failed < 2 || verdict.contains("\(failed)"), "\(faults): \(verdict)")
            #expect(failed == 0 || without.contains("\(failed)"), "\(faults): \(without)")
        }
        #expect(badge.contains("6") && without.contains("6"), "\(faults): \(badge), \(without)")
        for card in cards {
            let own = calls.filter { $0.part == card.part }
            if own.contains(where: \.isUndecided) { continue }
            let said = own.filter(\.isFailed)
            let state = said.isEmpty ? own.allSatisfy(\.isEmpty) ? "empty" : "there" : "failed"
            #expect(card.state == state, "\(faults): \(card)")
            #expect(card.names.count == said.count, "\(faults): \(card.names)")
            for (call, name) in zip(said, card.names) {
                #expect(name.hasPrefix("\(call.name): \(call.words)"), "\(faults): \(name)")
            }
            let pictured = pictured[Self.upstreams[card.part] ?? ""]
            #expect((pictured == "bad") == !said.isEmpty, "\(faults): \(card.part) is \(pictured ?? "")")
        }
    }

    /// Compares the screen with an answer of the gateway to the same visitor.
    func compare(_ wire: HomeWire, _ faults: [String: String]) {
        #expect(badge == wire.outcome, "\(faults)")
        #expect(withSluice.hasSuffix(", \(wire.outcome)"), "\(faults): \(withSluice)")
        for card in cards {
            let pictured = pictured[Self.upstreams[card.part] ?? ""]
            guard let error = wire.error(of: card.part) else {
                #expect(card.names.isEmpty && pictured != "bad", "\(faults): \(card), \(pictured ?? "")")
                if wire.hasData {
                    #expect(card.state == (wire.isEmpty(card.part) ? "empty" : "there"), "\(faults): \(card)")
                } else {
                    // It was cancelled or not, which depends on which ended first.
                    #expect(card.state == "held" && card.held != nil, "\(faults): \(card)")
                }
                continue
            }
            #expect(card.state == "failed" && pictured == "bad", "\(faults): \(card), \(pictured ?? "")")
            #expect(card.canRepeat == error.retryable, "\(faults): \(card)")
            let exact = [error.kind, error.reason] + (error.status.map { ["HTTP \($0)"] } ?? [])
            #expect(Array(card.names.prefix(exact.count)) == exact, "\(faults): \(card.names)")
            #expect(
                card.names.dropFirst(exact.count).first?.contains("\(error.attempts)") == true,
                "\(faults): \(card.names)")
            #expect(card.names.last == error.message, "\(faults): \(card.names)")
        }
    }
}

/// What curl gets from the gateway for the home screen.
private struct HomeWire: Sendable {
    struct Failure: Decodable, Sendable {
        let part: String
        let kind: String
        let reason: String
        let status: Int?
        let attempts: Int
        let retryable: Bool
        let message: String
    }

    private struct Body: Decodable {
        let code: String
        let errors: [Failure]?
    }

    /// As the page shows it: `200 PARTIAL`.
    let outcome: String
    private let errors: [Failure]
    private let data: JSONFragment?

    init(_ demo: Demo, _ visitor: String) async throws {
        let line = "curl \(demo.origin)/api/home -H 'Demo-Visitor: \(visitor)' -w '\\n%{http_code}'"
        let lines = try await Shell.output(line).split(separator: "\n")
        try #require(lines.count == 2)
        let (text, status) = (String(lines[0]), lines[1])
        let body = try JSONDecoder().decode(Body.self, from: Data(text.utf8))
        outcome = "\(status) \(body.code)"
        errors = body.errors ?? []
        data = try JSONFragment(validating: Array(text.utf8)[...])[member: "data"]
    }

    func error(of part: String) -> Failure? { errors.first { $0.part == part } }

    var hasData: Bool { data.map { $0.kind != .null } ?? false }

    func isEmpty(_ part: String) -> Bool {
        guard let value = data?[member: part] else { return true }
        return value.kind == .null
            || (value.kind == .object && value.members.allSatisfy { $0.value.kind == .null })
    }
}

/// What curl gets from an upstream for a call that the page makes itself.
private struct CallWire: Sendable {
    let name: String
    let part: String
    /// 0 without a response.
    let status: Int
    /// Of curl: 0 if the response is whole.
    let exitCode: Int
    let seconds: Double

    var isEmpty: Bool { status == 204 }
    /// Longer than the page waits, which is 20 s.
    var isLate: Bool { seconds > 20 }
    var isFailed: Bool { isLate || exitCode != 0 || status >= 400 }
    /// Whether the page may have had the rest in time or not.
    var isUndecided: Bool { (19...21).contains(seconds) }

    /// What the page may say: the status, or the name of the browser's error.
    var words: String {
        isLate ? "TimeoutError: " : exitCode == 0 ? "HTTP \(status)" : "TypeError: "
    }

    /// The calls of the home screen in its order, each with a part of its address.
    private static let names = [
        ("recent", "weights", "keyword=recent"), ("today", "weights", "/weights/"),
        ("user", "user", "/users/"),
        ("now", "weather", "Ncst"), ("forecast", "weather", "Fcst"), ("tags", "tags", "/tags"),
    ]

    /// Asks for all at once, as a page of this origin.
    static func all(_ urls: [String], from origin: String) async throws -> [CallWire] {
        try await withThrowingTaskGroup(of: (Int, CallWire).self) { group in
            for (index, (name, part, mark)) in names.enumerated() {
                let url = try #require(urls.first { $0.contains(mark) })
                group.addTask {
                    let line =
                        "curl '\(url)' -H 'Origin: \(origin)' -o /dev/null -w '%{http_code} %{exitcode} %{time_total}'"
                    let said = try await Shell.output(line).split(separator: " ")
                    try #require(said.count == 3)
                    return (
                        index,
                        CallWire(
                            name: name, part: part, status: Int(said[0]) ?? 0,
                            exitCode: try #require(Int(said[1])),
                            seconds: try #require(Double(said[2])))
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension Shell {
    /// Runs curl and returns its output, also if it failed. Waits on a thread of its own.
    fileprivate static func output(_ line: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try run(line, limit: 22, mayFail: true) })
            }
        }
    }
}
