/// The paths at which the gateway itself answers, before any endpoint.
package enum HealthPath {
    package static let prefix = "/health/"
    package static let live = "/health/live"
    package static let ready = "/health/ready"

    package static let all = [live, ready]
}
