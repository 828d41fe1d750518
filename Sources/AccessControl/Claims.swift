import ASCIIText
public import JSONBytes

/// What an identity says about a caller, as the JSON object in which it came.
public struct Claims: Sendable, Equatable {
    /// The longest text of a claim that is sent to an upstream, in bytes: 4 KiB.
    public static let maxTextLength = 4 * 1024

    /// A JSON object.
    public let object: JSONFragment

    /// Takes the object of a token, an API key or an authorizer.
    public init(_ object: JSONFragment) { self.object = object }

    /// Returns a claim by a name in a requirement: the member with exactly this name, and if it is missing,
    /// the value at the end of the names between the points: `realm_access.roles`. nil if it is missing or
    /// null.
    public func value(named name: String) -> JSONFragment? {
        if let member = object[member: name] { return member.isNull ? nil : member }
        guard name.utf8.contains(Byte.point) else { return nil }
        let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let value = names.reduce(object) { (value: JSONFragment?, name) in value?[member: name] }
        return value.flatMap { $0.isNull ? nil : $0 }
    }

    /// Whether the caller has all of the scopes, in `scope` (text with spaces, RFC 8693 4.2) or in `scp`
    /// (text or a list).
    public func hasScopes(_ scopes: [String]) -> Bool {
        guard !scopes.isEmpty else { return true }
        return has(scopes, in: object[member: "scope"], mayBeList: false)
            || has(scopes, in: object[member: "scp"], mayBeList: true)
    }

    private func has(_ scopes: [String], in value: JSONFragment?, mayBeList: Bool) -> Bool {
        guard let value else { return false }
        if let text = value.stringValue {
            let granted = text.utf8.split(separator: Byte.space)
            return scopes.allSatisfy { scope in granted.contains { $0.elementsEqual(scope.utf8) } }
        }
        guard mayBeList, value.kind == .array else { return false }
        let granted = value.elements.compactMap(\.stringValue)
        return scopes.allSatisfy { scope in granted.contains { $0.isExactly(scope) } }
    }
}

// MARK: Text for upstreams

extension Claims {
    /// Returns the text of a claim for a field of a request; nil if it is missing or null.
    ///
    /// Numbers and booleans are as they were written, and a list of text has commas between its elements.
    ///
    /// - Throws: `ClaimFault` for any value of which the upstream could read something else.
    package func fieldText(at path: ArraySlice<JSONPathStep>) throws(ClaimFault) -> String? {
        guard let value = object.value(at: path), !value.isNull else { return nil }
        guard value.kind == .array else { return try Self.scalar(value) }
        var text = ""
        var isFirst = true
        try value.forEachElement { (element) throws(ClaimFault) in
            guard element.kind == .string else { throw .notText }
            let part = try Self.scalar(element)
            guard !part.utf8.contains(Byte.comma) else { throw .commaInElement }
            if !isFirst { text += "," }
            isFirst = false
            text += part
            guard text.utf8.count <= Self.maxTextLength else { throw .tooLong }
            return true
        }
        return text
    }

    private static func scalar(_ value: JSONFragment) throws(ClaimFault) -> String {
        guard value.kind != .object, value.kind != .array else { throw .notText }
        // Each escaped byte takes at most six.
        guard value.bytes.count <= 6 * maxTextLength + 2 else { throw .tooLong }
        let text = value.stringValue ?? value.description
        guard text.utf8.count <= maxTextLength else { throw .tooLong }
        for scalar in text.unicodeScalars where isControl(scalar) { throw .controlCharacter }
        guard text.utf8.first != Byte.space, text.utf8.last != Byte.space else { throw .outerSpace }
        return text
    }

    /// Whether a scalar must not stand in a field: C0, DEL, C1, of which some readers take U+0085 for the end
    /// of a line, and U+FFFD, into which half of a surrogate pair is decoded.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.value == 0xfffd
    }
}
