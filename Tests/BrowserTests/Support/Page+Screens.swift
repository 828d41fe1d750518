import Foundation
import JSONBytes

extension Page {
    /// Waits until both screens and all fault controls have loaded.
    func ready() async throws {
        try await loaded()
        try await openTraces()
    }

    /// Waits until the page has loaded as a visitor meets it.
    func loaded() async throws {
        try await idle()
        try await eventually("the fault controls are there") { try await count("[data-fault-kind]") == 4 }
    }

    /// Opens what happened behind both screens, which is closed at first.
    func openTraces() async throws {
        try await run("for (const trace of document.querySelectorAll('.trace-details')) trace.open = true")
        try await eventually("what happened is drawn") { try await count(".trace-view") == 2 }
    }

    /// The ID under which the page sets faults and writes weights.
    var visitor: String {
        get async throws { try await run("return localStorage.getItem('sluice.visitor')", as: String.self) }
    }

    /// Waits until both screens have finished loading.
    func idle(within limit: Duration = .seconds(15)) async throws {
        for screen in ["#weights", "#home"] {
            try await self[screen].has("aria-busy", "false", within: limit)
        }
    }

    /// A card of the home screen: `weights`, `weather`, `tags` or `user`.
    func card(_ part: String) -> Element { self["article[data-part=\"\(part)\"]"] }

    func cards(are states: [String: String], within limit: Duration = .seconds(15)) async throws {
        for (part, state) in states.sorted(by: { $0.key < $1.key }) {
            try await card(part).has("data-state", state, within: limit)
        }
    }

    /// The row of a half of the day: `am` or `pm`.
    func half(_ half: String) -> Element { self["#halves [data-half=\"\(half)\"]"] }

    /// The weight shown for a half of the day, if any.
    func weight(_ half: String) async throws -> Double? {
        let selector = "#halves [data-half=\"\(half)\"] [data-weight]"
        guard try await count(selector) > 0 else { return nil }
        return try await self[selector].attribute("data-weight").flatMap(Double.init)
    }

    func weight(_ half: String, is kilograms: Double?) async throws {
        try await eventually("the weight of \(half) is \(kilograms.map { "\($0)" } ?? "not there")") {
            guard try await count("#halves [data-half=\"\(half)\"]") == 1 else { return false }
            return try await weight(half) == kilograms
        }
    }

    /// Enters a weight and saves it.
    func enter(_ text: String, at half: String) async throws {
        try await self["#halves [data-half=\"\(half)\"] :is([data-change], [data-add])"].click()
        try await self["#entry-weight"].fill(text)
        try await self["#entry [type=submit]"].click()
    }

    /// The chart's label for a day or a month.
    func spoken(_ slot: String) async throws -> String {
        try await self["#chart [data-slot=\"\(slot)\"]"].attribute("aria-label") ?? ""
    }

    /// The day that is shown, such as `2026-11-20`.
    var day: String { get async throws { try await self["#day"].value } }

    func breakUpstream(_ upstream: String, by fault: String) async throws {
        try await self["[data-fault-kind=\"\(upstream)\"] option[value=\"\(fault)\"]"].click()
    }

    func repair(_ upstream: String) async throws {
        try await breakUpstream(upstream, by: "none")
    }

    /// Runs a script that sees what the page shows only for moments: separate commands could come too late on
    /// a slow machine.
    ///
    /// The script has `await until(isSo, what)`, which waits up to 15 s; `one(selector)`, the element or
    /// null; and `choose(selector, value)`, which selects an option as a user does.
    func watch<Value: Decodable & Sendable>(_ script: String, as type: Value.Type) async throws -> Value {
        try await run(
            """
            const until = async (isSo, what) => {
              for (const end = performance.now() + 15_000; !isSo(); ) {
                if (performance.now() > end) throw new Error(`not within 15 s: ${what}`);
                await new Promise((next) => setTimeout(next, 5));
              }
            };
            const one = (selector) => document.querySelector(selector);
            const choose = (selector, value) => {
              one(selector).value = value;
              one(selector).dispatchEvent(new Event("change", { bubbles: true }));
            };

            """ + script, as: type)
    }

    /// The upstream in the picture of the fan-out.
    func pictured(_ upstream: String) -> Element { self["#flow [data-upstream=\"\(upstream)\"]"] }
}
