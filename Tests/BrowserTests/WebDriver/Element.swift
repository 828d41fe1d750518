import JSONBytes
import Networking

/// The first element of a page that matches a CSS selector.
///
/// Each use finds the element again and waits for it, because a redrawn page has a new element in the same
/// place.
struct Element: Sendable {
    let page: Page
    let selector: String

    /// Clicks as soon as the element is present, in sight and not covered. Scrolls it to the middle of the
    /// window if it is not in view or under the small picture at the top.
    func click() async throws {
        try await page.run(
            """
            const element = document.querySelector(arguments[0]);
            const box = element?.getBoundingClientRect();
            if (box && (box.top < 80 || box.bottom > innerHeight)) element.scrollIntoView({block: "center"});
            """, [.text(selector)])
        _ = try await ask(.click)
    }

    /// Appends to the current text.
    func type(_ text: String) async throws { _ = try await ask(.sendKeys(text)) }

    /// Replaces the current text.
    func fill(_ text: String) async throws {
        _ = try await ask(.clear)
        _ = try await ask(.sendKeys(text))
    }

    /// The visible text.
    var text: String { get async throws { try await ask(.text).stringValue ?? "" } }

    var isDisplayed: Bool {
        get async throws {
            guard let reference = try await page.references(selector).first else { return false }
            return try await page.send(.isDisplayed, to: reference).boolValue ?? false
        }
    }

    var isEnabled: Bool { get async throws { try await ask(.isEnabled).boolValue ?? false } }

    var accessibleName: String { get async throws { try await ask(.computedLabel).stringValue ?? "" } }

    /// The computed ARIA role.
    var role: String { get async throws { try await ask(.computedRole).stringValue ?? "" } }

    func attribute(_ name: String) async throws -> String? { try await ask(.attribute(name)).stringValue }

    func property(_ name: String) async throws -> JSONFragment { try await ask(.property(name)) }

    var value: String { get async throws { try await property("value").stringValue ?? "" } }

    func appears(within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) is shown", within: limit) { try await isDisplayed }
    }

    func disappears(within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) is not shown", within: limit) { try await !isDisplayed }
    }

    /// Waits until the visible text contains `part`.
    func says(_ part: String, within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) says \"\(part)\"", within: limit) {
            try await text.contains(part)
        }
    }

    /// Waits until an attribute has this value, or is absent for nil.
    func has(_ attribute: String, _ value: String?, within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) has \(attribute)=\(value ?? "none")", within: limit) {
            try await self.attribute(attribute) == value
        }
    }

    private func ask(_ command: WebDriver.ElementCommand) async throws -> JSONFragment {
        try await answer("\(selector) accepts \(command)") {
            guard let reference = try await page.references(selector).first else { return nil }
            return try await page.send(command, to: reference)
        }
    }
}
