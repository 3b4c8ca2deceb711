// @ts-check
// Set up before the tests of a mutation run: properties use the same few cases each time, so that a score can be compared
// with the one before.
import fc from 'fast-check'

fc.configureGlobal({ seed: 1, numRuns: 25 })
