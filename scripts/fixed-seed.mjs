// @ts-check
// Set up before every test file: properties use the same cases each time, so that a run tells of the change that was made, and a mutation score
// can be compared with the one before. `PROPERTY_SEED=7 npx vitest run --project=unit` looks elsewhere.
import fc from 'fast-check'

const { PROPERTY_SEED = '1', PROPERTY_RUNS = '100' } = process.env
fc.configureGlobal({ seed: Number(PROPERTY_SEED), numRuns: Number(PROPERTY_RUNS) })
