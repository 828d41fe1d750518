import AccessControl
import JSONBytes
import JSONCoding

extension GatewayRequest {
    /// Who calls; nil at an endpoint without `.require`, and for a request without a credential where the
    /// requirement is optional.
    public var identity: Identity? { access?.identity }

    /// Returns a claim of the caller.
    ///
    ///     let user = try request.claim("sub", as: String.self)
    ///
    /// - Parameters:
    ///   - name: the claim, `sub`, or a place below it, `org.id`.
    ///   - type: the type of the value.
    /// - Throws: 403 if nobody is known, or if the claim is missing or has another type.
    public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        guard let identity else { throw GatewayError.forbidden("This request needs an authenticated caller") }
        guard let value = Claims(identity.claims).value(named: name) else {
            throw unfitClaim("The claim \(name) is missing")
        }
        do {
            return try JSONBytesDecoder().decode(type, from: value)
        } catch {
            throw unfitClaim("The claim \(name) does not have the expected type")
        }
    }

    /// If the answer becomes a 403 with it, the log says so of the caller.
    private func unfitClaim(_ message: String) -> GatewayError {
        access?.claimIsUnfit(message)
        return .forbidden(message)
    }
}
