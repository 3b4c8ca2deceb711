import type {
  CheckerDocument,
  ConfigDocument,
  ContentRuleDocument,
  FeedbackProviderDocument,
  PolicyDocument,
  SectionDocument,
} from '@signalbox/core'
import fc from 'fast-check'
import { TOOLS } from './alphabet.ts'
import { checkerDocument, extendedCheckerDocument } from './checkers.ts'
import { contentWithoutId, extendedContentWithoutId } from './content.ts'
import { extendedPolicyWithoutId, policyWithoutId } from './policies.ts'
import { extendedProviderWithoutId, providerWithoutId } from './providers.ts'

interface Parts {
  readonly policy: fc.Arbitrary<(id: string) => PolicyDocument>
  readonly content: fc.Arbitrary<(id: string) => ContentRuleDocument>
  readonly provider: fc.Arbitrary<(id: string) => FeedbackProviderDocument>
  readonly checker: fc.Arbitrary<CheckerDocument>
}

function nestSections(
  split: number,
  rules: Pick<SectionDocument, 'policies' | 'content'>,
): SectionDocument[] {
  const inner: SectionDocument = { id: 'inner', tools: TOOLS.slice(split), ...rules }
  return [{ id: 'outer', tools: TOOLS.slice(0, split), sections: [inner] }]
}

/** Most configs have none: findings deny calls that the other rules should decide. */
function few<Item>(item: fc.Arbitrary<Item>, most: number): fc.Arbitrary<readonly Item[]> {
  return fc.oneof(
    { arbitrary: fc.constant([]), weight: 2 },
    { arbitrary: fc.array(item, { minLength: 1, maxLength: most }), weight: 1 },
  )
}

function generateConfig({
  policy,
  content,
  provider,
  checker,
}: Parts): fc.Arbitrary<ConfigDocument> {
  return fc
    .record({
      policies: fc.array(policy, { maxLength: 4 }),
      content: few(content, 3),
      sections: fc.option(
        fc.record({
          split: fc.nat(TOOLS.length),
          policies: fc.array(policy, { maxLength: 2 }),
          content: few(content, 2),
        }),
      ),
      providers: fc.array(provider, { maxLength: 3 }),
      exclusive: fc.boolean(),
      checker: fc.option(checker),
      maxBlocks: fc.integer({ min: 1, max: 4 }),
    })
    .map(
      ({ policies, content: rules, sections, providers, exclusive, checker: root, maxBlocks }) => ({
        schema_version: 1,
        ns: 'any',
        key: 'prompt',
        aliases: { Write: 'write_file' },
        ...(sections === null
          ? {}
          : {
              sections: nestSections(sections.split, {
                policies: sections.policies.map((make, i) => make(`section-policy-${i}`)),
                content: sections.content.map((make, i) => make(`section-content-${i}`)),
              }),
            }),
        policies: policies.map((make, i) => make(`policy-${i}`)),
        content: rules.map((make, i) => make(`content-${i}`)),
        feedback_providers: providers.map((make, i) => make(`provider-${i}`)),
        feedback_exclusive: exclusive,
        ...(root === null ? {} : { task_completion_checker: root }),
        limits: { max_stop_blocks: maxBlocks },
      }),
    )
}

/** Uses only types that core decides alone: compiles without an expression engine and without custom types. */
export const configDocument: fc.Arbitrary<ConfigDocument> = generateConfig({
  policy: policyWithoutId,
  content: contentWithoutId,
  provider: providerWithoutId,
  checker: checkerDocument,
})

/** Uses every type: compile with the expression engine and CUSTOM_TYPES. */
export const extendedConfigDocument: fc.Arbitrary<ConfigDocument> = generateConfig({
  policy: extendedPolicyWithoutId,
  content: extendedContentWithoutId,
  provider: extendedProviderWithoutId,
  checker: extendedCheckerDocument,
})
