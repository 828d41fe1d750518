import Testing

/// The screen, theme and user preferences that a page is shown with.
struct Look: Sendable, Equatable, CustomTestStringConvertible {
    enum Device: String, Sendable, CaseIterable {
        case desktop
        case phone
        /// The narrowest width to support (WCAG 2.2, 1.4.10). A wide screen at 400 % has this width.
        case narrow

        var width: Int { [.desktop: 1440, .phone: 390, .narrow: 320][self] ?? 0 }
        var height: Int { [.desktop: 900, .phone: 844, .narrow: 640][self] ?? 0 }
        var pixelRatio: Double { self == .phone ? 3 : 1 }
        var isMobile: Bool { self != .desktop }
    }

    enum Theme: String, Sendable, CaseIterable {
        case light, dark
    }

    enum Language: String, Sendable, CaseIterable {
        case korean = "ko-KR"
        case english = "en-US"

        /// As in `lang="ko"`.
        var code: String { String(rawValue.prefix(2)) }
    }

    var device = Device.desktop
    var theme = Theme.light
    var language = Language.english
    var reducesMotion = false
    var forcesColors = false
    /// The browser's default font size in CSS pixels.
    var fontSize = 16

    /// Phone and desktop in each theme and language.
    static let matrix: [Look] = [Device.phone, .desktop].flatMap { device in
        Theme.allCases.flatMap { theme in
            Language.allCases.map { Look(device: device, theme: theme, language: $0) }
        }
    }

    /// Each pair of device, theme and language once, for tests that take long.
    static let pairs = [
        Look(device: .phone, language: .korean), Look(device: .phone, theme: .dark), Look(),
        Look(theme: .dark, language: .korean),
    ]

    var testDescription: String {
        let rest = [
            reducesMotion ? "reduced motion" : nil, forcesColors ? "forced colors" : nil,
            fontSize == 16 ? nil : "text of \(fontSize) px",
        ]
        return ([device.rawValue, theme.rawValue, language.rawValue] + rest.compactMap { $0 })
            .joined(separator: ", ")
    }
}
