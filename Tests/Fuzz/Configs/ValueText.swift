import EndpointPlans
import JSONBytes
import JSONSchema

@testable import GatewayConfig

/// The values of a configuration as text, without their places.
struct ValueText: Equatable {
    private(set) var text = ""

    init(_ value: Any) { add(value) }

    private mutating func add(_ value: Any) {
        switch value {
        case is ConfigPlace: text += "@"
        // Closures, so what they change is compared.
        case let changes as SettingChanges<GatewayServerConfiguration>:
            add(changes.applied(to: SettingTable.file.standard))
        case let changes as SettingChanges<UpstreamSettings>: add(changes.applied(to: UpstreamSettings()))
        case is JSONSchema: text += "schema"
        case let fragment as JSONFragment: text += fragment.description
        case let string as String: text += "\"\(string)\""
        default:
            let mirror = Mirror(reflecting: value)
            guard !mirror.children.isEmpty else {
                text += "\(value)"
                return
            }
            let members = mirror.children.map { ($0.label.map { "\($0):" } ?? "") + ValueText($0.value).text }
            // Equal dictionaries and equal sets may list their members in different orders.
            let isUnordered = mirror.displayStyle == .dictionary || mirror.displayStyle == .set
            text += "(\((isUnordered ? members.sorted() : members).joined(separator: " ")))"
        }
    }
}
