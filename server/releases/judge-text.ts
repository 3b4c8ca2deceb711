// Judges a text as a publish does, with the gates that every environment has.
import type { Problem } from '@signalbox/core'
import { parseConfigSource } from '@signalbox/wire'
import { findMandatoryBase, loadBases } from '@/server/configs/bases.sql.ts'
import { checkConfigText } from '@/server/configs/config-text.ts'
import { findConfig } from '@/server/configs/configs.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { PromptName } from '@/server/platform/list/define-list.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { judgeClaimGates } from './claim-gates.ts'
import { archivedGates, mandatoryGates } from './place-gates.ts'
import type { Gate } from './release-input.ts'
import type { Content, ContentBase } from './release-subject.ts'

export interface TextJudgment {
  readonly publishable: boolean
  readonly digest: string | null
  readonly problems: readonly Problem[]
}

/** `place` absent: the prompt that the text names. */
export async function judgeText(
  scope: ConfigReader,
  text: string,
  place: Partial<PromptName>,
): Promise<TextJudgment> {
  const parsed = parseConfigSource(text)
  if (!parsed.ok) return { publishable: false, digest: null, problems: parsed.problems }
  const prompt = { ns: parsed.document.ns, key: parsed.document.key, ...place }
  const [customTypes, bases] = await Promise.all([listCustomTypes(scope), loadBases(scope, [text])])
  const checked = checkConfigText(text, { ...prompt, customTypes, bases })
  if (!checked.ok) return { publishable: false, digest: null, problems: checked.problems }
  const { digest, document, extends: reference } = checked
  const base = reference === null ? null : (bases.get(reference) ?? null)
  const gates = await readGates(scope, prompt, { digest, document, base })
  const problems = gates.filter(({ state }) => state !== 'passed').map(toProblem)
  return {
    publishable: problems.every(({ severity }) => severity !== 'error'),
    digest,
    problems: [...checked.problems, ...problems],
  }
}

async function readGates(
  scope: ConfigReader,
  prompt: PromptName,
  content: Pick<Content, 'digest' | 'document'> & {
    readonly base: Pick<ContentBase, 'configId'> | null
  },
): Promise<readonly Gate[]> {
  const { projectId } = scope
  const [config, mandatory] = await Promise.all([
    findConfig(scope, prompt),
    findMandatoryBase(scope),
  ])
  const released = { config: { id: config?.id ?? null }, content, kind: 'publish' } as const
  const gates = mandatoryGates(mandatory, released)
  if (config === null) return gates
  const claims = await judgeClaimGates({ projectId, configId: config.id }, content)
  return [...archivedGates({ config }), ...gates, ...claims]
}

/** A gate that a publish may acknowledge is a warning. */
function toProblem({ id, state, sentence }: Gate): Problem {
  const severity = state === 'missing' ? 'error' : 'warning'
  return { pointer: '', code: id, severity, message: `${sentence}.` }
}
