import ASCIIText
import HTTPModel

/// The format of `name=value&name=value`.
final class PairRules: Sendable, Hashable {
    let lists: ParameterEncoding.Lists
    let booleans: ParameterEncoding.Booleans
    let members: ParameterEncoding.Members
    let sortsKeys: Bool
    /// Whether a number without a fraction is written like an integer: `1` for 1.0.
    let omitsZeroFraction: Bool
    let escaping: Escaping

    init(
        lists: ParameterEncoding.Lists = .repeated, booleans: ParameterEncoding.Booleans = .literal,
        members: ParameterEncoding.Members = .brackets, sortsKeys: Bool = false,
        omitsZeroFraction: Bool = false,
        escaping: Escaping = .query
    ) {
        self.lists = lists
        self.booleans = booleans
        self.members = members
        self.sortsKeys = sortsKeys
        self.omitsZeroFraction = omitsZeroFraction
        self.escaping = escaping
    }

    static func == (left: PairRules, right: PairRules) -> Bool {
        left === right
            || left.lists == right.lists && left.booleans == right.booleans && left.members == right.members
                && left.sortsKeys == right.sortsKeys && left.omitsZeroFraction == right.omitsZeroFraction
                && left.escaping == right.escaping
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(lists)
        hasher.combine(booleans)
        hasher.combine(members)
        hasher.combine(sortsKeys)
        hasher.combine(omitsZeroFraction)
        hasher.combine(escaping)
    }
}

extension PairRules {
    /// Appends all parameters.
    ///
    /// - Parameters:
    ///   - parameters: consumed in place.
    ///   - mark: separator before the first pair, if any.
    ///   - bytes: the output.
    func appendPairs(
        of parameters: inout Parameters, after mark: UInt8? = nil, to bytes: inout ByteWriter
    ) throws(RequestFault) {
        guard !sortsKeys else {
            var sorted = parameters.sorted()
            return try appendEach(of: &sorted, after: mark, to: &bytes)
        }
        try appendEach(of: &parameters, after: mark, to: &bytes)
    }

    @inline(__always)
    private func appendEach(
        of parameters: inout Parameters, after mark: UInt8?, to bytes: inout ByteWriter
    ) throws(RequestFault) {
        var separator = mark
        try parameters.visit { (entry) throws(RequestFault) in
            let value = entry.1.parameterValue
            // The common case.
            if case .text(let text) = value {
                appendName(entry.0, separator: &separator, to: &bytes)
                appendEncoded(text, to: &bytes)
            } else {
                try append(entry.0, value, separator: &separator, to: &bytes)
            }
        }
    }

    /// Appends one value, possibly as several pairs. `separator` goes before the next pair.
    func append(
        _ name: String, _ value: ParameterValue, isElement: Bool = false, separator: inout UInt8?,
        to bytes: inout ByteWriter
    ) throws(RequestFault) {
        switch value {
        case .absent:
            return
        case .list(let values):
            try append(name, list: values, isElement: isElement, separator: &separator, to: &bytes)
        case .object(let members):
            for member in sortsKeys ? members.sorted(by: { $0.name < $1.name }) : members {
                let name = self.members.usesDots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
                try append(name, member.value, separator: &separator, to: &bytes)
            }
        case .text(let text):
            appendName(name, separator: &separator, to: &bytes)
            appendEncoded(text, to: &bytes)
        case .integer(let integer):
            appendName(name, separator: &separator, to: &bytes)
            bytes.append(String(integer))
        case .number(let number):
            guard number.isFinite else {
                throw RequestFault(.parameters, "parameter \(name) is not a finite number")
            }
            appendName(name, separator: &separator, to: &bytes)
            let text = number.description
            let isWhole = omitsZeroFraction && text.hasSuffix(".0")
            appendEncoded(isWhole ? String(text.dropLast(2)) : text, to: &bytes)
        case .flag(let flag):
            appendName(name, separator: &separator, to: &bytes)
            bytes.append(booleans.isNumeric ? (flag ? "1" : "0") : (flag ? "true" : "false"))
        case .null:
            appendName(name, separator: &separator, to: &bytes)
        }
    }

    private func append(
        _ name: String, list values: [ParameterValue], isElement: Bool, separator: inout UInt8?,
        to bytes: inout ByteWriter
    ) throws(RequestFault) {
        switch lists.form {
        case .repeated:
            // The elements of a nested list would all have the same name.
            guard !isElement else { throw RequestFault(.parameters, "parameter \(name) is a list of lists") }
            for value in values {
                try append(name, value, isElement: true, separator: &separator, to: &bytes)
            }
        case .brackets:
            let name = name + "[]"
            for value in values { try append(name, value, separator: &separator, to: &bytes) }
        case .indexed:
            for (index, value) in values.enumerated() {
                try append("\(name)[\(index)]", value, separator: &separator, to: &bytes)
            }
        case .custom(let naming):
            for (index, value) in values.enumerated() {
                try append(naming.name(name, index), value, separator: &separator, to: &bytes)
            }
        }
    }

    @inline(__always)
    private func appendName(_ name: String, separator: inout UInt8?, to bytes: inout ByteWriter) {
        if let separator { bytes.append(separator) }
        separator = UInt8(ascii: "&")
        appendEncoded(name, to: &bytes)
        bytes.append(UInt8(ascii: "="))
    }

    @inline(__always)
    private func appendEncoded(_ text: String, to bytes: inout ByteWriter) {
        bytes.append(encoding: text, escaping)
    }
}
