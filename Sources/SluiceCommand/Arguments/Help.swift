enum Help {
    static let version = "0.1.0"

    static var overview: String {
        var text = """
            sluice \(version): a reactive backend-for-frontend gateway

            usage: sluice COMMAND [FLAGS]


            """
        for command in CommandSpecification.all {
            text += "  \(padded(command.name, to: 10))\(command.summary)\n"
        }
        text += """

            'sluice COMMAND --help' lists the flags of a command, 'sluice --version' prints the version.
            Environment variables can set flags too: SLUICE_DRAIN_DELAY sets --drain-delay.
            Exit codes: 0 success, 1 failure (port in use, unusable file, gateway not ready), 2 wrong usage.

            """
        return text
    }

    static func text(for command: CommandSpecification) -> String {
        let flagsText = command.flags.isEmpty ? "" : " [FLAGS]"
        let positional = command.positional.map { " \($0)" } ?? ""
        var text = "usage: sluice \(command.name)\(flagsText)\(positional)\n\n\(command.summary)\n\n"
        let heads = command.flags.map { "--\($0.name) \($0.placeholder)" }
        let width = (heads.map(\.count).max() ?? 0) + 2
        for (flag, head) in zip(command.flags, heads) {
            text += "  \(padded(head, to: width))\(flag.help)\n"
            let fallback = flag.fallback.map { "default: \($0); " } ?? ""
            text += "  \(padded("", to: width))\(fallback)variable: \(flag.environmentName)\n"
        }
        return text
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
