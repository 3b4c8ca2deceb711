'use client'
import { clsx } from 'clsx'
import { Check, Copy, UserPlus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import type { ReactNode } from 'react'
import { DemoStories } from '@/components/demo/demo-stories.tsx'
import { copyText } from '@/components/kit/list/copy-link.ts'
import { type ConfigName, parseConfigName } from '@/components/paths/config-name.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { withPrefix } from '@/components/paths/prefix.ts'
import { CONNECT_AGENT_NAMES } from '@/components/runtimes/connect-agents.ts'
import { useChosenPrompt } from '@/components/runtimes/connect-choice.ts'
import { ConnectPanel } from '@/components/runtimes/connect-panel.tsx'
import { useKeyOfPage } from '@/components/runtimes/made-key.ts'
import {
  listStepsDone,
  STEP_COUNT,
  useDismissFirstSteps,
  useFirstSteps,
} from '@/components/shell/first-steps.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import type { FirstSteps } from '@/server/overview/first-steps.sql.ts'

export function GetStartedPage() {
  const router = useRouter()
  useKeyOfPage()
  const [agent, setAgent] = useQueryState(
    'agent',
    parseAsStringLiteral(CONNECT_AGENT_NAMES).withDefault('claude-code'),
  )
  const [chosen] = useChosenPrompt()
  const steps = useFirstSteps(true, parseConfigName(chosen ?? ''))
  const isDone = steps !== undefined && countSteps(steps) === STEP_COUNT
  const dismiss = useDismissFirstSteps()
  const skip = (): void => {
    dismiss()
    router.push('/')
  }
  return (
    <>
      <PageHeader
        title="Get started"
        facts={steps === undefined ? '\u00a0' : describeSteps(steps)}
        actions={
          <>
            <LinkButton href="/settings/users">
              <UserPlus size={14} aria-hidden />
              Invite teammates
            </LinkButton>
            {isDone ? (
              <LinkButton variant="quiet" href="/">
                Open the Overview
              </LinkButton>
            ) : (
              <Button variant="quiet" onClick={skip}>
                Skip for now
              </Button>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-3 p-4 max-sm:p-3">
        <Steps steps={steps} />
        <Button className="sm:hidden" onClick={copyPage}>
          <Copy size={14} aria-hidden />
          Send this page to your computer
        </Button>
        <div className="grid grid-cols-[minmax(0,1fr)_296px] items-start gap-3 max-lg:grid-cols-[minmax(0,1fr)]">
          <Card>
            <h2 className="sr-only">Connect an agent</h2>
            <ConnectPanel
              agent={agent}
              onAgent={(next) => void setAgent(next)}
              isNextStep={steps?.hasCalled !== true}
            />
          </Card>
          <div className="flex flex-col gap-3">
            <DemoStories />
            <Help />
          </div>
        </div>
      </div>
    </>
  )
}

function countSteps(steps: FirstSteps): number {
  return listStepsDone(steps).filter(Boolean).length
}

function describeSteps(steps: FirstSteps): string {
  const done = countSteps(steps)
  if (done === 0)
    return `Put one agent under guardrails in ${STEP_COUNT} steps. It takes about five minutes.`
  const suffix = steps.prompt === null ? '' : ` for ${steps.prompt.ns}/${steps.prompt.key}`
  if (done === STEP_COUNT) return `All ${STEP_COUNT} steps are done${suffix}.`
  return `${done} of ${STEP_COUNT} steps ${done === 1 ? 'is' : 'are'} done${suffix}.`
}

/** The key is not in the address. */
function copyPage(): void {
  copyText(
    window.location.href,
    'The link of this page was copied. Send it to yourself, and open it on your computer.',
  )
}

function Steps({ steps }: { readonly steps: FirstSteps | undefined }) {
  const done = steps === undefined ? [] : listStepsDone(steps)
  const current = done.indexOf(false)
  const call = steps?.firstCall ?? null
  const sentences: readonly (readonly [string, ReactNode])[] = [
    [
      'Connect an agent',
      call === null
        ? steps?.hasCalled === true
          ? 'It called a tool'
          : 'Waiting for its first call'
        : `First call: ${call.tool}, ${call.verdict}`,
    ],
    [
      'Watch its first session',
      call === null ? (
        steps?.hasCalled === true ? (
          'Its events are no longer stored'
        ) : (
          'Opens here when it starts'
        )
      ) : (
        <Link
          key="session"
          href={`/sessions/${call.session}`}
          className="text-link hover:underline"
        >
          Open session
        </Link>
      ),
    ],
    [
      'Turn on enforcement',
      steps?.isEnforced === true
        ? 'Calls are denied in new sessions'
        : 'Rules start in shadow mode',
    ],
  ]
  return (
    <Card>
      <ol className="grid grid-cols-3">
        {sentences.map(([title, text], index) => (
          <li
            key={title}
            aria-current={index === current ? 'step' : undefined}
            className="flex min-w-0 items-center gap-2 border-border border-r px-3 py-2 last:border-r-0 max-sm:px-2"
          >
            <StepNumber number={index + 1} isDone={done[index] === true} isOn={index === current} />
            <div className="min-w-0 max-sm:text-small">
              <p className={index === current ? 'font-medium' : 'text-text-2'}>{title}</p>
              <p className="text-small text-text-2 max-sm:hidden">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      {steps !== undefined && steps.prompt !== null && (
        <NextStep steps={steps} prompt={steps.prompt} />
      )}
    </Card>
  )
}

function NextStep({
  steps,
  prompt: { ns, key },
}: {
  readonly steps: FirstSteps
  readonly prompt: ConfigName
}) {
  const path = configPath(ns, key)
  if (countSteps(steps) === STEP_COUNT) {
    return (
      <p role="status" className="border-border border-t px-3 py-2">
        The rules of <code>{`${ns}/${key}`}</code> are enforced. Start a new session of the agent: a
        call that a rule denies is denied, and the agent reads why. Next,{' '}
        <Link href={path} className="text-link underline">
          promote the config
        </Link>{' '}
        to the next environment.
      </p>
    )
  }
  if (!steps.hasCalled || !steps.hasRelease || steps.isEnforced) return null
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-border border-t px-3 py-2"
    >
      The agent is connected. Its rules only record what they would deny.
      <LinkButton variant="primary" href={`${path}/edit`}>
        Enforce its rules
      </LinkButton>
    </p>
  )
}

function StepNumber({
  number,
  isDone,
  isOn,
}: {
  readonly number: number
  readonly isDone: boolean
  readonly isOn: boolean
}) {
  return (
    <span
      className={clsx(
        'flex size-5 shrink-0 items-center justify-center rounded-full border font-medium text-micro',
        isOn ? 'border-accent bg-accent text-on-accent' : 'border-border-strong text-text-2',
      )}
    >
      {isDone ? (
        <Check size={12} className="text-allow-mark" role="img" aria-label="done" />
      ) : (
        number
      )}
    </span>
  )
}

const PAGES = [
  { href: '/docs/specs/compatibility', name: 'What Signalbox can enforce, by agent' },
  { href: '/docs/agents/import-permissions', name: 'Import permissions of Claude Code or Codex' },
  { href: '/docs/how-to/hide-secrets', name: 'What leaves the machine, and redaction' },
] as const

function Help() {
  return (
    <Card>
      <CardHeader title="Help" />
      <ul className="flex flex-col gap-1 p-3">
        {PAGES.map(({ href, name }) => (
          <li key={href}>
            <a href={withPrefix(href)} className="text-link hover:underline">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}
