import ASCIIText
import EndpointPlans

/// Replaces the variables in the values of one configuration. No message contains a value.
final class VariableReader {
    /// A larger secret is an error, in bytes.
    static let largestFile = 64 << 10
    /// The most bytes of all replaced values.
    static let largestTotal = 16 << 20

    private let source: any ConfigSource
    /// Whether variables stay unknown: neither the environment nor secrets are read.
    private let isStatic: Bool
    private let problems: ProblemList
    private var files: [String: Result<String, ConfigSourceError>] = [:]
    private var total = 0

    /// The secrets that were read or are missing, in the order of the file.
    private(set) var paths: [String] = []
    /// The texts with variables as the files have them, by the places of their scalars.
    private(set) var writtenTexts: [ConfigPlace: String] = [:]

    /// The values of variables and secrets, with the variables as the files have them. Defaults stand in the
    /// file and are left out.
    private(set) var values: [String: String] = [:]

    init(_ source: any ConfigSource, isStatic: Bool, problems: ProblemList) {
        self.source = source
        self.isStatic = isStatic
        self.problems = problems
    }

    /// Returns the scalar with its values; nil after a problem.
    func scalar(_ text: String, _ style: YAMLScalar.Style, at place: ConfigPlace) -> YAMLScalar? {
        guard text.utf8.contains(UInt8(ascii: "$")), Self.hasVariable(text) else {
            return YAMLScalar(text: text, style: style)
        }
        do throws(VariableExpression.Fault) {
            let substitution = try substitution(text)
            if substitution.hasVariable { writtenTexts[place] = text }
            return YAMLScalar(
                text: substitution.isUnknown ? text : substitution.text, style: style,
                substitution: substitution)
        } catch {
            problems.error(error.message, at: place)
            return nil
        }
    }

    private func substitution(_ text: String) throws(VariableExpression.Fault) -> Substitution {
        // By bytes, because a sign and a combining mark after it are one Character.
        let bytes = Array(text.utf8)
        var pieces: [Substitution.Piece] = []
        var written: [UInt8] = []
        var index = 0
        var hasVariable = false
        func flush() {
            if !written.isEmpty { pieces.append(.written(String(decoding: written, as: UTF8.self))) }
            written = []
        }
        while index < bytes.count {
            if Self.begins(bytes, at: index, "$${") {
                flush()
                pieces.append(.literal("${"))
                index += 3
            } else if Self.begins(bytes, at: index, "${") {
                guard let end = bytes[index...].firstIndex(of: Byte.closeBrace) else {
                    throw VariableExpression.Fault(
                        message: "${ begins a variable that is not closed by }; $${ is the text ${")
                }
                flush()
                pieces.append(try piece(String(decoding: bytes[(index + 2)..<end], as: UTF8.self)))
                hasVariable = true
                index = end + 1
            } else {
                written.append(bytes[index])
                index += 1
            }
        }
        flush()
        return Substitution(written: text, pieces: pieces, hasVariable: hasVariable)
    }

    private static func hasVariable(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: "$") && $1 == Byte.openBrace }
    }

    private static func begins(_ bytes: [UInt8], at index: Int, _ text: StaticString) -> Bool {
        guard bytes[index] == UInt8(ascii: "$") else { return false }
        return bytes[index...].starts(
            with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func piece(_ text: String) throws(VariableExpression.Fault) -> Substitution.Piece {
        guard !text.contains("${") else {
            throw VariableExpression.Fault(
                message: "${\(Shown.text(text))}}: a default cannot have a variable")
        }
        let expression = try VariableExpression(text)
        guard !isStatic else { return .unknown }
        let value = try value(of: expression)
        total += value.utf8.count
        guard total <= Self.largestTotal else {
            throw VariableExpression.Fault(
                message: "the values of all variables have more than \(Self.largestTotal >> 20) MiB")
        }
        return .literal(value)
    }

    private func value(of expression: VariableExpression) throws(VariableExpression.Fault) -> String {
        switch expression {
        case .variable(let name, let fallback):
            let value = source.variable(name)
            // As in a shell, an empty variable takes the default, too.
            if let fallback, value?.isEmpty ?? true { return fallback }
            guard let value else {
                throw VariableExpression.Fault(
                    message: "${\(name)}: the variable is not set and has no default")
            }
            values[value] = "${\(name)}"
            return value
        case .file(let path):
            do throws(ConfigSourceError) {
                let value = try contents(of: path)
                values[value] = "${file:\(path)}"
                return value
            } catch {
                throw VariableExpression.Fault(message: "${file:\(Shown.text(path))}: \(error.message)")
            }
        }
    }

    private func contents(of path: String) throws(ConfigSourceError) -> String {
        if let known = files[path] { return try known.get() }
        let result: Result<String, ConfigSourceError>
        do throws(ConfigSourceError) {
            result = .success(try read(path))
        } catch {
            result = .failure(error)
        }
        files[path] = result
        paths.append(path)
        return try result.get()
    }

    private func read(_ path: String) throws(ConfigSourceError) -> String {
        var bytes = try source.read(path, limit: Self.largestFile)[...]
        if bytes.last == Byte.lineFeed { bytes.removeLast() }
        if bytes.last == Byte.carriageReturn { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigSourceError("the file is not text in UTF-8")
        }
        guard !text.isEmpty else { throw ConfigSourceError("the file is empty") }
        return text
    }
}
