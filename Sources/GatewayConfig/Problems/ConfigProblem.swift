package import EndpointPlans

/// Something wrong with a configuration, and where.
package struct ConfigProblem: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable {
        /// The configuration cannot be used.
        case error
        /// It can be used and is likely not what was meant.
        case warning
    }

    package let severity: Severity
    /// The file's name, as the command line or `include` gives it.
    package let file: String
    /// From 1.
    package let line: Int
    /// In characters, from 1.
    package let column: Int
    /// One line. Never contains the value of a variable or a secret.
    package let message: String
}

extension ConfigDocument {
    /// Returns a problem at a place of this configuration, for modules that refuse a value after reading.
    package func problem(
        _ severity: ConfigProblem.Severity, _ message: String, at place: ConfigPlace
    ) -> ConfigProblem {
        ConfigProblem(
            severity: severity, file: fileName(of: place), line: place.line, column: place.column,
            message: message)
    }
}

extension ConfigDocument {
    /// Returns a place as text: `sluice.yaml:12:3`.
    package func text(of place: ConfigPlace) -> String {
        "\(fileName(of: place)):\(place.line):\(place.column)"
    }

    /// The name of the file of a place.
    func fileName(of place: ConfigPlace) -> String {
        files.indices.contains(place.file) ? files[place.file] : ""
    }
}

extension ConfigProblem: CustomStringConvertible {
    /// `sluice.yaml:12:7: error: 5 needs a unit: 5s`, as compilers write it and editors read it.
    package var description: String { "\(file):\(line):\(column): \(severity.rawValue): \(message)" }
}
