import { getOwn } from './json.ts'

/** Reason of a denied call that no rule could decide, in counts. */
export const COULD_NOT_EVALUATE = 'could_not_evaluate'

const WORDS: { readonly [code: string]: string } = {
  '': 'No rule decided',
  // Counts of earlier versions have the decision instead of a reason.
  denied: 'Denied before reasons were counted',
  error: 'A rule could not be evaluated',
  'file.not_read': 'File exists and was not read',
  'file.changed': 'File changed since it was read',
  'file.is_directory': 'Path is a directory',
  'file.outside_workspace': 'Path is outside the workspace',
  'file.existence_unknown': 'File could not be checked',
  'file.path_hidden': 'Path is masked',
  'file.behind_link': 'Path leads through a link',
  'file.too_many_paths': 'Call names too many paths',
  'arguments.not_an_object': 'Arguments are not an object',
  'sequential.missing': 'A required tool did not run first',
  'sequential.outdated': 'A required tool did not run again after a change',
  'expression.denies': 'A condition of the rule matched',
  'rate.exceeded': 'The call limit was reached',
  'custom.denies': 'A custom rule denied it',
  'content.denied': 'Content is not allowed',
  [COULD_NOT_EVALUATE]: 'A rule could not be evaluated',
  'plan.open_steps': 'Plan steps are not done',
  'files.missing': 'A file is missing',
  'files.unknown': 'A file could not be checked',
  'tool.not_run': 'A required tool did not run',
  'tool.last_run_failed': 'The last run of a tool failed',
  'tool.outdated': 'A tool did not run again after a change',
  'judge.incomplete': 'The judge found it incomplete',
  'judge.not_answered': 'The judge gave no usable answer',
  'judge.unavailable': 'No model was available to judge',
  'custom.incomplete': 'A custom check is not complete',
  'custom.not_answered': 'A custom check gave no answer',
  'expression.does_not_hold': 'A condition is not met',
  'expression.not_evaluated': 'A condition could not be evaluated',
  'composite.none_passed': 'None of the alternatives passed',
  'checker.threw': 'A check could not be evaluated',
  'stop.not_decided': 'The check failed to run',
  'stop.undecided_often': 'The check failed to run too often',
  'stop.deadline': 'The deadline had passed',
  'stop.budget': 'The budget was used up',
  'stop.ended': 'A person ended the session',
  'stop.max_blocks': 'The limit on blocked stops was reached',
  'stop.would_block': 'A check that only records would have blocked it',
  'stop.no_checker': 'No completion checker is configured',
  'stop.no_config': 'No config was in force',
}

/** Reason code of a denied call or a blocked stop (empty: none), in words that name no file or tool. */
export function reasonWords(code: string): string {
  if (code.startsWith('approval.')) return 'No approval from a reviewer'
  return getOwn(WORDS, code) ?? `Other reason (${code})`
}
