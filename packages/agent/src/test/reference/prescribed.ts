// Messages of errors that the semantics prescribe; all others are our own words, and compared as `*`.
export const PRESCRIBED: readonly string[] = ['LeaseExtender already attached']
