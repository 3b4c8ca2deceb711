// Error messages that the semantics prescribe. All others are our own, and are compared as `*`.
export const PRESCRIBED: readonly string[] = ['LeaseExtender already attached']
