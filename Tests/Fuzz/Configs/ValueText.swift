import EndpointPlans
import JSONBytes

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
        case let pattern as Pattern: text += pattern.text
        case let fragment as JSONFragment: text += fragment.description
        case let string as String: text += "\"\(string)\""
        default:
            let mirror = Mirror(reflecting: value)
            guard !mirror.children.isEmpty else {
                text += "\(value)"
                return
            }
            text += "("
            for child in mirror.children {
                if let label = child.label { text += "\(label):" }
                add(child.value)
                text += " "
            }
            text += ")"
        }
    }
}
