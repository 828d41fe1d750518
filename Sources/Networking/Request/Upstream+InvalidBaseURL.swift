extension Upstream {
    /// Why a text is not a valid base URL.
    public struct InvalidBaseURL: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name of the upstream.
        public let upstream: String
        /// The text without password and query, at most 256 characters. Fit for a log.
        public let value: String
        /// What is wrong with it.
        public let reason: String

        /// What is wrong, in words.
        public var description: String {
            "the address of upstream \(upstream), '\(value)', is invalid: \(reason)"
        }

        init(upstream: String, value: String, reason: String) {
            self.upstream = upstream
            self.value = Self.masked(value)
            self.reason = reason
        }

        /// Masks possible secrets in unparseable text: a password may contain any character before the last
        /// `@`, and a query or fragment may contain a key.
        private static func masked(_ text: String) -> String {
            var rest = text[...]
            var result = ""
            if let end = rest.firstRange(of: "://")?.upperBound {
                result = String(rest[..<end])
                rest = rest[end...]
            }
            if let at = rest.lastIndex(of: "@") {
                let end = rest[..<at].firstIndex { ":/?#".contains($0) }
                if let end, rest[end] == ":" { result += rest[...end] }
                result += "***"
                rest = rest[at...]
            }
            if let mark = rest.firstIndex(where: { "?#".contains($0) }) {
                result += "\(rest[...mark])***"
            } else {
                result += rest
            }
            return printable(result)
        }

        private static func printable(_ text: String) -> String {
            let maximum = 256
            var scalars = String.UnicodeScalarView()
            for scalar in text.unicodeScalars.prefix(maximum) {
                let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                scalars.append(isControl ? "\u{fffd}" : scalar)
            }
            return String(scalars) + (text.unicodeScalars.count > maximum ? "..." : "")
        }
    }
}
