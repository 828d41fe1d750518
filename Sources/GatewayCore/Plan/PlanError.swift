package import EndpointPlans

/// All that is wrong with a planned endpoint.
package struct PlanError: Error, Sendable, Equatable, CustomStringConvertible {
    package let faults: [PlanFault]

    package var description: String {
        faults.map { fault in fault.part.map { "part \($0): \(fault.message)" } ?? fault.message }
            .joined(separator: "; ")
    }
}
