import ASCIIText
import EndpointPlans
import HTTPModel

extension ValueType where Value == HTTPFieldName {
    /// The name of a header field.
    static let fieldName = ValueType(fieldNameTree, unknown: "X") { (scalar) throws(ScalarFault) in
        try name(scalar)
    }

    static var fieldNameTree: SchemaTree {
        .type("string", [("pattern", .text("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"))])
    }

    static func name(_ scalar: YAMLScalar) throws(ScalarFault) -> HTTPFieldName {
        guard scalar.text != "*" else { throw .rule("* does not stand for all fields; name each") }
        guard let name = HTTPFieldName(scalar.text) else { throw .unfit("is not the name of a header field") }
        return name
    }
}

extension ValueType where Value == String {
    /// An address of an upstream.
    static let upstreamURL = ValueType(.type("string"), unknown: nil) { (scalar) throws(ScalarFault) in
        guard !scalar.isUnknown else { return scalar.text }
        if let reference = ReferenceText.first(in: scalar) {
            throw .rule("\(reference): an upstream's address is constant")
        }
        if scalar.text.hasPrefix("unix:") {
            guard scalar.text.hasPrefix("unix:/"), scalar.text.utf8.count > 6 else {
                throw .rule("the path of a Unix socket begins with a slash: unix:/run/api.sock")
            }
            return scalar.text
        }
        do throws(HTTPURL.Failure) {
            let url = try HTTPURL(scalar.text)
            guard url.query == nil else { throw HTTPURL.Failure.fragment }
        } catch {
            // The text may have a password, so it is not shown.
            if error == .scheme, let name = unbracedVariable(scalar) {
                throw .rule("\(error.description), and a variable has braces: ${\(name)}")
            }
            throw .rule(error == .fragment ? "an upstream's URL has no ? and no #" : error.description)
        }
        return scalar.text
    }

    /// Returns the name in `$NAME`, with which a text of the file begins.
    private static func unbracedVariable(_ scalar: YAMLScalar) -> String? {
        guard scalar.substitution == nil, scalar.text.utf8.first == UInt8(ascii: "$") else { return nil }
        let name = scalar.text.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return name.first.map { !$0.isNumber } == true ? Shown.text(String(name)) : nil
    }
}

/// The rules for the values of header fields that a configuration sets.
enum HeaderRules {
    /// Whether a field may have the text as its value (RFC 9110 5.5), without blanks around it.
    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy(ASCII.isFieldByte)
            && text.utf8.first.map { !ASCII.isBlank($0) } ?? true
            && text.utf8.last.map { !ASCII.isBlank($0) } ?? true
    }

    /// Warns of a token in the file, which everyone who may read the file can use.
    static func warn(_ name: HTTPFieldName, _ isLiteral: Bool, _ place: ConfigPlace, _ reader: ConfigReader) {
        guard isLiteral, name == .authorization else { return }
        reader.problems.warning(
            "Authorization stands in the file; take it from a secret: \"${file:/run/secrets/token}\"",
            at: place)
    }
}

extension ConfigReader {
    /// The most header fields that a file may set on a request or an answer.
    private static let mostFields = 100

    /// Returns the members of a mapping whose names are header fields of this message that may be set, each
    /// once.
    func fields(
        _ node: YAMLNode, _ subject: Subject, of message: FieldRules.Message
    ) -> [(name: Located<HTTPFieldName>, member: YAMLMember)]? {
        guard let map = map(node, subject) else { return nil }
        guard map.members.count <= Self.mostFields else {
            error(
                "\(subject.text): \(map.members.count) header fields, at most \(Self.mostFields)",
                at: node.place)
            return nil
        }
        var known: Set<HTTPFieldName> = []
        return map.members.compactMap { member in
            guard let name = HTTPFieldName(member.name) else {
                error(
                    "\"\(Shown.text(member.name))\" is not the name of a header field", at: member.namePlace)
                return nil
            }
            if let fault = FieldRules.fault(name, in: message) {
                error(fault, at: member.namePlace)
                return nil
            }
            guard known.insert(name).inserted else {
                error("the header \(name) is set twice; case does not matter", at: member.namePlace)
                return nil
            }
            return (Located(name, at: member.namePlace), member)
        }
    }
}
