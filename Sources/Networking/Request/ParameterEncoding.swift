import HTTPModel
import JSONBytes

/// Where parameters go and how they are written there.
public struct ParameterEncoding: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case query
        case form
        case json
    }

    /// How a list is written where the format has none of its own.
    public struct Lists: Sendable, Hashable {
        let usesBrackets: Bool

        /// `tag=a&tag=b`
        public static let repeated = Lists(usesBrackets: false)
        /// `tag[]=a&tag[]=b`, brackets percent-encoded (Alamofire's default)
        public static let brackets = Lists(usesBrackets: true)
    }

    /// How a Boolean is written where the format has none of its own.
    public struct Booleans: Sendable, Hashable {
        let isNumeric: Bool

        /// `true` and `false`
        public static let literal = Booleans(isNumeric: false)
        /// `1` and `0` (Alamofire's default)
        public static let numeric = Booleans(isNumeric: true)
    }

    let place: Place
    let lists: Lists
    let booleans: Booleans

    /// Into the URL's query, a space as `%20`: `?fddDate=2026-11-20&keyword=recent`.
    public static let query = ParameterEncoding.query()
    /// Into the body as `application/x-www-form-urlencoded`, a space as `+`.
    public static let form = ParameterEncoding.form()
    /// Into the body as a flat JSON object, in order. A name that occurs twice fails the call.
    public static let json = ParameterEncoding(place: .json, lists: .repeated, booleans: .literal)

    public static func query(lists: Lists = .repeated, booleans: Booleans = .literal) -> ParameterEncoding {
        ParameterEncoding(place: .query, lists: lists, booleans: booleans)
    }

    public static func form(lists: Lists = .repeated, booleans: Booleans = .literal) -> ParameterEncoding {
        ParameterEncoding(place: .form, lists: lists, booleans: booleans)
    }

    /// Appends `name=value&name=value`, everything outside RFC 3986's unreserved set percent-encoded.
    ///
    /// - Parameter mark: what goes before the first pair, if there is one.
    func appendPairs(
        of parameters: inout Parameters, after mark: UInt8? = nil, to bytes: inout ByteRoom
    ) throws(RequestFault) {
        var separator = mark
        try parameters.visit { (entry) throws(RequestFault) in
            let value = entry.1.parameterValue
            // What most are.
            if case .text(let text) = value {
                appendName(entry.0, isInList: false, separator: &separator, to: &bytes)
                appendEncoded(text, to: &bytes)
            } else {
                try appendPair(entry.0, value, isInList: false, separator: &separator, to: &bytes)
            }
        }
    }

    private func appendPair(
        _ name: String, _ value: ParameterValue, isInList: Bool, separator: inout UInt8?,
        to bytes: inout ByteRoom
    ) throws(RequestFault) {
        switch value {
        case .absent:
            return
        case .list(let values):
            guard !isInList else { throw RequestFault(.parameters, "parameter \(name) is a list of lists") }
            for value in values {
                try appendPair(name, value, isInList: true, separator: &separator, to: &bytes)
            }
            return
        case .text(let text):
            appendName(name, isInList: isInList, separator: &separator, to: &bytes)
            appendEncoded(text, to: &bytes)
        case .integer(let integer):
            appendName(name, isInList: isInList, separator: &separator, to: &bytes)
            bytes.append(String(integer))
        case .number(let number):
            guard number.isFinite else {
                throw RequestFault(.parameters, "parameter \(name) is not a finite number")
            }
            appendName(name, isInList: isInList, separator: &separator, to: &bytes)
            appendEncoded(number.description, to: &bytes)
        case .flag(let flag):
            appendName(name, isInList: isInList, separator: &separator, to: &bytes)
            let text = booleans.isNumeric ? (flag ? "1" : "0") : (flag ? "true" : "false")
            bytes.append(text)
        }
    }

    @inline(__always)
    private func appendName(_ name: String, isInList: Bool, separator: inout UInt8?, to bytes: inout ByteRoom)
    {
        if let separator { bytes.append(separator) }
        separator = UInt8(ascii: "&")
        appendEncoded(name, to: &bytes)
        if isInList, lists.usesBrackets { bytes.append("%5B%5D") }
        bytes.append(UInt8(ascii: "="))
    }

    @inline(__always)
    private func appendEncoded(_ text: String, to bytes: inout ByteRoom) {
        bytes.append(encoding: text, spaceAsPlus: place == .form)
    }
}

extension ParameterEncoding {
    /// One flat JSON object.
    func object(of parameters: inout Parameters) throws(RequestFault) -> ArraySlice<UInt8> {
        var names: Set<String> = []
        var composer = JSONComposer()
        composer.beginObject()
        try parameters.visit { (entry) throws(RequestFault) in
            let name = entry.0
            let value = entry.1.parameterValue
            guard value != .absent else { return }
            guard names.insert(name).inserted else {
                throw RequestFault(.parameters, "parameter \(name) occurs twice in a JSON object")
            }
            composer.key(name)
            try write(value, named: name, to: &composer)
        }
        composer.endObject()
        return composer.fragment().bytes
    }

    private func write(
        _ value: ParameterValue, named name: String, to composer: inout JSONComposer
    ) throws(RequestFault) {
        switch value {
        case .absent: composer.null()
        case .text(let text): composer.string(text)
        case .integer(let integer): composer.int(Int(integer))
        case .flag(let flag): composer.bool(flag)
        case .number(let number):
            guard number.isFinite else {
                throw RequestFault(.parameters, "parameter \(name) is not a finite number")
            }
            composer.double(number)
        case .list(let values):
            composer.beginArray()
            for value in values {
                try write(value, named: name, to: &composer)
            }
            composer.endArray()
        }
    }
}
