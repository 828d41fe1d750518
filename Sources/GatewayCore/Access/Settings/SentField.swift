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

    /// Creates a field of text and claims in braces: `{claims.sub}`, `{claims.org.id}`. `{{` is the text `{`.
    package init(_ name: HTTPFieldName, _ value: String) {
        var (scanner, pieces) = (TemplateScanner(value), [Piece]())
        do throws(TemplateScanner.Fault) {
            while let piece = try scanner.next() {
                switch piece {
                case .text(let text): pieces.append(.text(text))
                case .reference(.claims, let path, _): pieces.append(.claim(path))
                case .reference:
                    let fault = "sends \(name): only claims can be sent, such as {claims.sub}"
                    self.init(name, [], fault: fault)
                    return
                }
            }
            self.init(name, pieces)
        } catch {
            self.init(name, [], fault: "sends \(name): \(error.reason.message)")
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

    /// Fields that the client itself negotiates, so that a call has them twice.
    private static let negotiated: [HTTPFieldName] = [.accept, .acceptEncoding]

    /// Whether the gateway itself sets a field of this name in its calls.
    static func isSetByGateway(_ name: HTTPFieldName) -> Bool {
        TransportFields.areInRequest(name) || CallContext.sent.contains(name) || name.describesBody
    }

    /// Why an entry cannot send a field of this name; nil if it can. Follows the name of the entry.
    package static func fault(of name: HTTPFieldName) -> String? {
        if isSetByGateway(name) || negotiated.contains(name) {
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
