public import Foundation
public import Rx

/// Every object of Foundation offers `rx`.
extension NSObject: ReactiveCompatible {}
