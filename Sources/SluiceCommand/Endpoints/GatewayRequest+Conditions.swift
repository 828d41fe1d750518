import GatewayCore
import HTTPModel

extension GatewayRequest {
    /// The client's conditions of a change, `If-Match` and `If-None-Match` (RFC 9110, section 13.1).
    var conditions: HTTPFields {
        var conditions = HTTPFields()
        for name in [HTTPFieldName.ifMatch, .ifNoneMatch] {
            for value in head.fields.values(of: name) { conditions.append(name, value) }
        }
        return conditions
    }
}
