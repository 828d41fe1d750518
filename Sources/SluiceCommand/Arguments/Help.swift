import GatewayHTTP

enum Help {
    static let version = "0.1.0"

    static var overview: String {
        var text = """
            sluice \(version): a reactive backend-for-frontend gateway

            usage: sluice COMMAND [FLAGS]


            """
        for command in CommandSpecification.all {
            text += "  \(CommandSpecification.padded(command.name, to: 10))\(command.summary)\n"
        }
        text += """

            'sluice COMMAND --help' lists the flags of a command, 'sluice --version' prints the version.
            Environment variables can set flags too: SLUICE_DRAIN_DELAY sets --drain-delay.
            Exit codes: 0 success, 1 failure (port in use, unusable file, gateway not ready), 2 wrong usage.

            """
        return text
    }
}
