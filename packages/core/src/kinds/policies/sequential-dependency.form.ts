import { none, type PolicyForm } from './policy-rule.ts'
import type { SequentialDependencyDocument } from './sequential-dependency.ts'

export const sequentialDependencyForm: PolicyForm<SequentialDependencyDocument> = {
  label: 'Sequential dependency',
  sample: { id: 'order', type: 'sequential_dependency', dependencies: {} },
  form: [{ control: 'prerequisites', field: 'dependencies' }],
  advice: none,
  blindSpots: none,
}
