import AccessControl
package import EndpointPlans
package import HTTPModel
import JSONBytes
import Networking

/// A field about the caller that upstreams get: `X-User-Id: {claims.sub}`.
package struct SentField: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case text(String)
        /// A claim, or a place in one.
        case claim([JSONPathStep])
    }

    /// The name of the field. No client can set it at any endpoint of the gateway.
    package let name: HTTPFieldName
    let pieces: [Piece]
    /// Why the field is invalid; nil if it is valid. Follows the name of its entry.
    package let fault: String?

    /// Creates a field of text and claims in braces: `{claims.sub}`, `{claims.org.id}`.
    package init(_ name: HTTPFieldName, _ value: String) {
        do throws(InvalidTemplate) {
            self.init(name, try Self.pieces(of: Array(value.utf8)))
        } catch {
            self.init(name, [], fault: "sends \(name): \(error.message)")
        }
    }

    /// Creates a field whose references name claims.
    package init(_ name: HTTPFieldName, _ value: PlannedText) {
        self.init(
            name,
            value.pieces.map { piece in
                switch piece {
                case .text(let text): .text(text)
                case .reference(let reference): .claim(reference.path.steps)
                }
            })
    }

    private init(_ name: HTTPFieldName, _ pieces: [Piece], fault: String? = nil) {
        self.name = name
        self.pieces = pieces
        self.fault = fault ?? Self.fault(of: name) ?? Self.fault(of: pieces).map { "sends \(name), \($0)" }
    }

    private struct InvalidTemplate: Error {
        let message: String
    }

    /// Splits text at its references. `{{` is the text `{`, and `}}` the text `}`.
    private static func pieces(of bytes: [UInt8]) throws(InvalidTemplate) -> [Piece] {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let isDoubled = index + 1 < bytes.count && bytes[index + 1] == byte
            if byte == UInt8(ascii: "{"), !isDoubled {
                let (path, end) = try claim(bytes, from: index + 1)
                if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
                text = []
                pieces.append(.claim(path))
                index = end
            } else {
                text.append(byte)
                index += isDoubled && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")) ? 2 : 1
            }
        }
        if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
        return pieces
    }

    /// Reads a reference behind its brace. Returns the place in the claims, and the index behind it.
    private static func claim(
        _ bytes: [UInt8], from start: Int
    ) throws(InvalidTemplate) -> (path: [JSONPathStep], end: Int) {
        var parser = ReferenceParser(bytes, from: start)
        do throws(ReferenceParser.Fault) {
            let reference = try parser.parse()
            if reference.root == .claims { return (reference.path, reference.end) }
        } catch {
            throw InvalidTemplate(message: error.message)
        }
        throw InvalidTemplate(message: "only claims can be sent, such as {claims.sub}")
    }

    /// Fields that the client itself negotiates, so that a call has them twice.
    private static let negotiated: [HTTPFieldName] = [.accept, .acceptEncoding]

    /// Why an entry cannot send a field of this name; nil if it can. Follows the name of the entry.
    package static func fault(of name: HTTPFieldName) -> String? {
        if TransportFields.areInRequest(name) || CallContext.sent.contains(name) || negotiated.contains(name)
            || name.describesBody
        {
            return "sends \(name), which the gateway sets itself"
        }
        if ClientForwarding.isField(name) {
            return "sends \(name), which forwardClient sets"
        }
        return nil
    }

    private static func fault(of pieces: [Piece]) -> String? {
        for piece in pieces {
            switch piece {
            case .text(let text):
                guard Renderer.canSend(text) else { return "whose value has a control character" }
            case .claim(let path):
                if path.isEmpty { return "but {claims} names no claim" }
                if path.contains(.all) { return "but [*] is not supported here" }
            }
        }
        return nil
    }
}

extension [SentField] {
    /// Returns the fields for a caller with these claims. A field whose claim is missing is left out.
    ///
    /// - Throws: a claim does not fit into a field.
    func fields(for claims: JSONFragment) throws(ClaimFault) -> HTTPFields {
        var fields = HTTPFields()
        let claims = Claims(claims)
        for field in self {
            guard let value = try field.value(claims) else { continue }
            guard value.utf8.count <= Claims.maxTextLength else { throw .tooLong }
            fields.append(field.name, value)
        }
        return fields
    }
}

extension SentField {
    fileprivate func value(_ claims: Claims) throws(ClaimFault) -> String? {
        var value = ""
        for piece in pieces {
            switch piece {
            case .text(let text): value += text
            case .claim(let path):
                guard let text = try claims.fieldText(at: path[...]) else { return nil }
                value += text
            }
        }
        return value
    }
}
