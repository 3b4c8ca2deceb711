import type { Metadata } from 'next'
import { Projects } from '@/components/people/projects.tsx'

export const metadata: Metadata = { title: 'Settings · projects' }

export default function ProjectsPage() {
  return <Projects />
}
