import { deployment } from './stage.ts'

const { permissionsBoundary } = deployment

// Applies the boundary to all roles, also to roles that SST creates, such as those of schedules: an account may refuse
// a role without one.
if (permissionsBoundary)
  $transform(aws.iam.Role, (args) => {
    args.permissionsBoundary = permissionsBoundary
  })
