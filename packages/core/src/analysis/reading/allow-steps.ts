import { type AllowStep, step } from '../../kinds/base/policy-reason.ts'
import type { ConfigDocument } from '../../kinds/config.ts'
import { placeDocument } from '../../kinds/placed.ts'
import { policyReason } from '../../kinds/policies.ts'
import type { ToolDecision } from '../../model/effect.ts'

/** Empty: the call was allowed. `document`: the version that governed the call; null: not known here. */
export function allowSteps(
  decision: ToolDecision,
  document: ConfigDocument | null,
): readonly AllowStep[] {
  const known = document === null ? [] : placeDocument(document).policies
  return decision.rules
    .filter(({ mode, result }) => mode === 'enforce' && result !== 'allow')
    .flatMap((denial) => {
      const { rule, code } = denial
      const policy = known.find(({ item }) => item.id === rule)?.item
      const steps = policyReason(code).steps?.(denial, policy) ?? [
        step('operator', `Fix or change the rule \`${rule}\``),
      ]
      return steps.map((one) => ({ rule, ...one }))
    })
}
