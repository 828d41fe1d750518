import Networking

/// A key in WebDriver's notation (W3C WebDriver, "Keyboard actions").
enum Key: String, Sendable {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case escape = "\u{E00C}"
    case space = " "
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case shift = "\u{E008}"
}

extension Page {
    func press(_ keys: Key..., holding held: Key? = nil) async throws {
        try await strike(keys.map(\.rawValue), holding: held)
    }

    func type(_ text: String) async throws {
        try await strike(text.map(String.init), holding: nil)
    }

    private func strike(_ keys: [String], holding held: Key?) async throws {
        var actions: [ParameterValue] = []
        if let held { actions.append(Self.action("keyDown", held.rawValue)) }
        for key in keys { actions += [Self.action("keyDown", key), Self.action("keyUp", key)] }
        if let held { actions.append(Self.action("keyUp", held.rawValue)) }
        try await perform([["type": "key", "id": "keyboard", "actions": .list(actions)]])
    }

    private static func action(_ type: String, _ key: String) -> ParameterValue {
        ["type": .text(type), "value": .text(key)]
    }
}
