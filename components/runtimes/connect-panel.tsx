'use client'
// Shared by Get started and the drawer of Runtimes. A key created here stays visible until the user leaves the page.
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { parseConfigName } from '@/components/paths/config-name.ts'
import { serverAddress, withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { Tabs } from '@/components/ui/tabs.tsx'
import {
  CONNECT_AGENT_NAMES,
  CONNECT_AGENTS,
  type ConnectAgent,
  type ConnectAgentName,
  findConnectAgent,
} from './connect-agents.ts'
import { type ConnectFormChoice, useConnectChoice } from './connect-choice.ts'
import { type ConnectStep, connectCommands, plainTextWarning } from './connect-commands.ts'
import { ConnectForm } from './connect-form.tsx'
import { ConnectProgress } from './connect-progress.tsx'
import { useMadeKey } from './made-key.ts'

function useServerUrl(): string {
  return useSyncExternalStore(
    () => () => undefined,
    serverAddress,
    () => 'http://127.0.0.1:3000',
  )
}

export function ConnectPanel({
  agent: name,
  onAgent,
  isNextStep = true,
  className,
}: {
  readonly agent: ConnectAgentName
  readonly onAgent: (agent: ConnectAgentName) => void
  /** False: an agent is connected already, so no button is the main one. */
  readonly isNextStep?: boolean
  readonly className?: string
}) {
  const agent = findConnectAgent(name)
  const strip = useRef<HTMLDivElement>(null)
  const [hasMenu, setMenu] = useState(false)
  const [choice, setChoice] = useConnectChoice()
  useEffect(() => {
    const tab = strip.current?.querySelector(`[role=tab][aria-selected=true]`)
    if (name !== CONNECT_AGENT_NAMES[0]) tab?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [name])
  const content = (
    <ConnectContent agent={agent} choice={choice} onChoice={setChoice} isNextStep={isNextStep} />
  )
  const shown = CONNECT_AGENTS.filter((one) => 'isTab' in one || one.value === name)
  const more = CONNECT_AGENTS.filter((one) => !shown.includes(one))
  return (
    <div ref={strip} className={clsx('flex min-h-0 min-w-0 flex-col', className)}>
      <Tabs
        label="Agent"
        value={name}
        tabs={shown.map(({ value, label }) => ({ value, label, content }))}
        onChange={onAgent}
        after={
          <Menu
            label="More agents"
            text="More"
            items={more.map(({ value, label }) => ({
              name: label,
              onSelect: () => onAgent(value),
            }))}
            open={hasMenu}
            onOpenChange={setMenu}
          />
        }
        className="min-w-0 flex-1"
      />
    </div>
  )
}

interface ContentProps {
  readonly agent: ConnectAgent
  readonly choice: ConnectFormChoice
  readonly onChoice: (choice: ConnectFormChoice) => void
  readonly isNextStep: boolean
}

function ConnectContent({ agent, choice, onChoice, isNextStep }: ContentProps) {
  const trpc = useTRPC()
  const serverUrl = useServerUrl()
  const madeKey = useMadeKey()
  const { data: commandPackage } = useQuery(trpc.runtimes.commandPackage.queryOptions())
  if (commandPackage === undefined) return <Skeleton className="m-3 h-64" />
  if (commandPackage === null) {
    return (
      <p className="p-3 text-text-2">
        This server was built without the CLI package, like a development server. Run the CLI from a
        checkout: <code>node packages/cli/dist/main.js</code>
      </p>
    )
  }
  const warning = plainTextWarning(serverUrl)
  const prompt = parseConfigName(choice.prompt)
  const steps = connectCommands({
    serverUrl,
    commandPackage,
    agent,
    apiKey: madeKey?.secret ?? null,
    prompt: prompt === null ? null : `${prompt.ns}/${prompt.key}`,
  })
  return (
    <div className="flex min-h-full flex-col">
      <div className="flex flex-1 flex-col gap-2.5 p-3 max-sm:order-1">
        {warning === null ? null : (
          <p className="flex items-start gap-2 rounded-control border border-warning-bd bg-warning-bg px-3 py-2 text-warning-fg">
            <span className="mt-0.5">
              <StatusIcon status="warning" />
            </span>
            {warning}
          </p>
        )}
        <ConnectForm agent={agent} choice={choice} onChoice={onChoice} isNextStep={isNextStep} />
        <ol className="flex min-w-0 flex-col gap-2.5">
          {steps.map((step, index) => (
            <Step key={step.id} step={step} number={index + 1} />
          ))}
        </ol>
        <Reach agent={agent} />
      </div>
      <ConnectProgress agent={agent} />
    </div>
  )
}

function Step({
  step: { title, hint, command },
  number,
}: {
  readonly step: ConnectStep
  readonly number: number
}) {
  return (
    <li className="flex min-w-0 gap-2.5">
      <span
        aria-hidden
        className="flex size-5 shrink-0 items-center justify-center rounded-full border border-border-strong text-micro text-text-2"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="mb-1">
          <span className="font-medium">{title}</span>{' '}
          <span className="text-small text-text-2 max-sm:hidden">{hint}</span>
        </h3>
        <div className="flex items-start rounded-control border border-border bg-surface-2 pr-1">
          <ScrollBox label={title} className="max-h-72 min-w-0 flex-1 overflow-auto px-2.5 py-1.5">
            <pre className="wrap-anywhere whitespace-pre-wrap text-mono">{command}</pre>
          </ScrollBox>
          <CopyButton text={command} label={`Copy: ${title}`} />
        </div>
      </div>
    </li>
  )
}

function Reach({ agent: { limit, docs } }: { readonly agent: ConnectAgent }) {
  return (
    <p className="flex items-start gap-2 text-small text-text-2">
      <ShieldCheck size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span>
        {limit === undefined
          ? 'The rules cover calls, feedback and stops.'
          : `Not enforced here: ${limit}.`}{' '}
        <a href={withPrefix(docs)} className="text-link hover:underline">
          Details
        </a>
      </span>
    </p>
  )
}
