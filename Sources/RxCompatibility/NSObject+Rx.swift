public import Foundation
public import Rx

/// Gives every `NSObject` the `rx` namespace.
extension NSObject: ReactiveCompatible {}
