public import Foundation
public import Rx

extension NSObject: ReactiveCompatible {}
