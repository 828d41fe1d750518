import JSONBytes
import Networking

/// The first element of a page that a CSS selector selects.
///
/// It is looked for anew by each use, and waited for: a page that redraws itself has another element in the same place.
struct Element: Sendable {
    let page: Page
    let selector: String

    /// As soon as it is there, in sight and in nobody's way.
    func click() async throws { _ = try await ask(.click) }

    /// Types, after what is there.
    func type(_ text: String) async throws { _ = try await ask(.sendKeys(text)) }

    /// Types in place of what is there.
    func fill(_ text: String) async throws {
        _ = try await ask(.clear)
        _ = try await ask(.sendKeys(text))
    }

    /// As it is shown.
    var text: String { get async throws { try await ask(.text).stringValue ?? "" } }

    var isDisplayed: Bool {
        get async throws {
            guard let reference = try await page.references(selector).first else { return false }
            return try await page.send(.isDisplayed, to: reference).boolValue ?? false
        }
    }

    var isEnabled: Bool { get async throws { try await ask(.isEnabled).boolValue ?? false } }

    /// What a screen reader calls it.
    var accessibleName: String { get async throws { try await ask(.computedLabel).stringValue ?? "" } }

    /// What a screen reader says that it is.
    var role: String { get async throws { try await ask(.computedRole).stringValue ?? "" } }

    /// Nil where it has none.
    func attribute(_ name: String) async throws -> String? { try await ask(.attribute(name)).stringValue }

    func property(_ name: String) async throws -> JSONFragment { try await ask(.property(name)) }

    var value: String { get async throws { try await property("value").stringValue ?? "" } }

    /// Waits until it is seen.
    func appears(within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) is shown", within: limit) { try await isDisplayed }
    }

    /// Waits until it is seen no more.
    func disappears(within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) is not shown", within: limit) { try await !isDisplayed }
    }

    /// Waits until what it shows has this in it.
    func says(_ part: String, within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) says \"\(part)\"", within: limit) {
            try await text.contains(part)
        }
    }

    /// Waits until an attribute has this value; nil: until there is none.
    func has(_ attribute: String, _ value: String?, within limit: Duration = .seconds(15)) async throws {
        try await eventually("\(selector) has \(attribute)=\(value ?? "none")", within: limit) {
            try await self.attribute(attribute) == value
        }
    }

    private func ask(_ command: WebDriver.ElementCommand) async throws -> JSONFragment {
        try await answer("\(selector) takes \(command)") {
            guard let reference = try await page.references(selector).first else { return nil }
            return try await page.send(command, to: reference)
        }
    }
}
